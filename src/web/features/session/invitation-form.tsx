import { Alert, Anchor, Paper, PasswordInput, Skeleton, Stack, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { passwordLength } from '#contract/shapes/password-length.ts';
import { explain } from '../../api/errors.ts';
import { acceptInvitation, readInvitation } from '../../api/generated/sdk.gen.ts';
import { sessionToken } from '../../api/session-token.ts';
import { SubmitButton } from '../../ui/submit-button.tsx';

interface InvitationFormProps {
  /** from behind # of the link */
  token: string;
  onJoined: () => void;
}

/** What the invitation says, and a password to accept it with. */
export function InvitationForm({ token, onJoined }: InvitationFormProps) {
  const [name, setName] = useState('');
  const [password, setPassword] = useState('');
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await readInvitation({ body: { token }, throwOnError: true })).data,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const accept = useMutation({
    mutationFn: async (body: { token: string; password: string; name?: string }) =>
      (await acceptInvitation({ body, throwOnError: true })).data,
    onSuccess: ({ token: session, expiresAt }) => {
      sessionToken.write({ token: session, expiresAt });
      onJoined();
    },
  });
  const problem = accept.isError ? explain(accept.error) : null;
  const data = invitation.data;
  const isShort = data?.hasAccount === false && password.length < passwordLength.min;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (password === '' || isShort) return;
    accept.mutate({ token, password, name: name.trim() || undefined });
  };
  return (
    <Paper withBorder p="xl" w={400} radius={8}>
      {invitation.isPending ? (
        <Stack gap="sm" aria-busy="true">
          <Skeleton height={24} />
          <Skeleton height={60} />
        </Stack>
      ) : data === undefined ? (
        <Stack gap="md">
          <Title order={1}>This invitation is not open</Title>
          <Text role="alert">{explain(invitation.error).detail}</Text>
          <Anchor href="/sign-in">Sign in</Anchor>
        </Stack>
      ) : (
        <form onSubmit={submit} noValidate aria-label="Accept the invitation">
          <Stack gap="md">
            <div>
              <Title order={1}>Join {data.organizationName}</Title>
              <Text size="sm" c="dimmed" mt={4}>
                {data.invitedBy === null ? '' : `${data.invitedBy} invites `}
                {data.email}
              </Text>
            </div>
            {problem !== null && problem.fields['password'] === undefined && (
              <Alert color="danger" variant="light" role="alert" title={problem.title}>
                {problem.detail}
              </Alert>
            )}
            <input type="hidden" name="username" autoComplete="username" value={data.email} readOnly />
            {!data.hasAccount && (
              <TextInput
                label="Your name"
                autoComplete="name"
                maxLength={200}
                value={name}
                onChange={(event) => setName(event.currentTarget.value)}
                autoFocus
              />
            )}
            <PasswordInput
              label={data.hasAccount ? 'Password of your account' : 'Choose a password'}
              description={
                data.hasAccount ? undefined : `At least ${passwordLength.min} characters, not easy to guess.`
              }
              autoComplete={data.hasAccount ? 'current-password' : 'new-password'}
              visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={problem?.fields['password']}
            />
            <SubmitButton
              size="sm"
              loading={accept.isPending}
              disabled={password === '' || isShort}
              fullWidth
            >
              Join
            </SubmitButton>
          </Stack>
        </form>
      )}
    </Paper>
  );
}
