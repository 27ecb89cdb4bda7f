import {
  Alert,
  Anchor,
  Button,
  Paper,
  PasswordInput,
  Skeleton,
  Stack,
  Text,
  TextInput,
  Title,
} from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { passwordLength } from '#contract/shapes/password-length.ts';
import { explain } from '../../api/errors.ts';
import { readPasswordReset, requestPasswordReset, resetPassword } from '../../api/generated/sdk.gen.ts';
import { sessionToken } from '../../api/session-token.ts';
import { SubmitButton } from '../../ui/submit-button.tsx';

/** Asks for a link by email. The answer never says whether there is such an account. */
export function ForgotPasswordForm() {
  const [email, setEmail] = useState('');
  const request = useMutation({
    mutationFn: async (address: string) => {
      await requestPasswordReset({ body: { email: address }, throwOnError: true });
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (email.trim() !== '') request.mutate(email.trim());
  };
  return (
    <Paper withBorder p="xl" w={400} radius={8}>
      <Stack gap="md">
        <Title order={1}>Reset your password</Title>
        {request.isSuccess ? (
          <Text role="status">
            If {email.trim()} has an account, a link is on its way. It works for an hour. If nothing arrives,
            ask a manager of your organization.
          </Text>
        ) : (
          <form onSubmit={submit} noValidate>
            <Stack gap="md">
              {request.isError && (
                <Alert color="danger" variant="light" role="alert">
                  {explain(request.error).detail}
                </Alert>
              )}
              <TextInput
                label="E-mail"
                type="email"
                autoComplete="username"
                autoFocus
                value={email}
                onChange={(event) => setEmail(event.currentTarget.value)}
              />
              <SubmitButton size="sm" loading={request.isPending} disabled={email.trim() === ''} fullWidth>
                Email me a link
              </SubmitButton>
            </Stack>
          </form>
        )}
        <Anchor href="/sign-in">Sign in</Anchor>
      </Stack>
    </Paper>
  );
}

/** @param token from behind # of the link */
export function ResetPasswordForm({ token }: { token: string }) {
  const [password, setPassword] = useState('');
  const link = useQuery({
    queryKey: ['passwordReset', token],
    queryFn: async () => (await readPasswordReset({ body: { token }, throwOnError: true })).data,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const reset = useMutation({
    mutationFn: async (newPassword: string) => {
      await resetPassword({ body: { token, newPassword }, throwOnError: true });
    },
    onSuccess: () => sessionToken.clear('signed out'),
  });
  const problem = reset.isError ? explain(reset.error) : null;
  const isShort = password.length < passwordLength.min;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (!isShort) reset.mutate(password);
  };
  return (
    <Paper withBorder p="xl" w={400} radius={8}>
      {link.isPending ? (
        <Skeleton height={120} aria-busy="true" />
      ) : link.data === undefined ? (
        <Stack gap="md">
          <Title order={1}>This link is not valid</Title>
          <Text role="alert">{explain(link.error).detail}</Text>
          <Anchor href="/sign-in">Sign in</Anchor>
        </Stack>
      ) : reset.isSuccess ? (
        <Stack gap="md">
          <Title order={1}>Password changed</Title>
          <Text role="status">You are signed out everywhere. Sign in with the new password.</Text>
          <Button component="a" href="/sign-in">
            Sign in
          </Button>
        </Stack>
      ) : (
        <form onSubmit={submit} noValidate aria-label="Reset password">
          <Stack gap="md">
            <div>
              <Title order={1}>Choose a new password</Title>
              <Text size="sm" c="dimmed" mt={4}>
                {link.data.email}
              </Text>
            </div>
            {problem !== null && problem.fields['newPassword'] === undefined && (
              <Alert color="danger" variant="light" role="alert" title={problem.title}>
                {problem.detail}
              </Alert>
            )}
            <input type="hidden" name="username" autoComplete="username" value={link.data.email} readOnly />
            <PasswordInput
              label="New password"
              description={`At least ${passwordLength.min} characters, not easy to guess.`}
              autoComplete="new-password"
              autoFocus
              visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
              value={password}
              onChange={(event) => setPassword(event.currentTarget.value)}
              error={problem?.fields['newPassword']}
            />
            <SubmitButton size="sm" loading={reset.isPending} disabled={isShort} fullWidth>
              Change password
            </SubmitButton>
          </Stack>
        </form>
      )}
    </Paper>
  );
}
