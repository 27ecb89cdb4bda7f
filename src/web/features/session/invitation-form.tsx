import { Anchor, Skeleton, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { explain } from '#web/api/errors.ts';
import { acceptInvitation, readInvitation } from '#web/api/generated/sdk.gen.ts';
import { sessionToken } from '#web/api/session-token.ts';
import { DoorCard, DoorForm, DoorPassword, DoorTitle } from './door-form.tsx';
import { checkNewPassword, newPasswordHelp } from './new-password.ts';

interface InvitationFormProps {
  /** from the fragment (#) of the link */
  token: string;
  onJoined: () => void;
}

/** Shows the invitation and asks for a password to accept it. */
export function InvitationForm({ token, onJoined }: InvitationFormProps) {
  const invitation = useQuery({
    queryKey: ['invitation', token],
    queryFn: async () => (await readInvitation({ body: { token } })).data,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const accept = useMutation({
    mutationFn: async (body: { token: string; password: string; name?: string }) =>
      (await acceptInvitation({ body })).data,
    onSuccess: ({ token: session, expiresAt }) => {
      sessionToken.write({ token: session, expiresAt });
      onJoined();
    },
  });
  const { data } = invitation;
  if (invitation.isPending)
    return (
      <DoorCard>
        <Skeleton height={24} aria-busy="true" />
        <Skeleton height={60} />
      </DoorCard>
    );
  if (data === undefined)
    return (
      <DoorCard>
        <Title order={1}>This invitation is no longer valid</Title>
        <Text role="alert">{explain(invitation.error).detail}</Text>
        <Anchor href="/sign-in">Sign in</Anchor>
      </DoorCard>
    );
  return (
    <DoorCard>
      <DoorTitle title={`Join ${data.organizationName}`}>
        {data.invitedBy === null ? '' : `${data.invitedBy} invites `}
        {data.email}
      </DoorTitle>
      <DoorForm
        label="Accept the invitation"
        initial={{ name: '', password: '' }}
        rules={{
          password: data.hasAccount
            ? (value) => (value === '' ? 'Type the password' : null)
            : checkNewPassword,
        }}
        mutation={accept}
        onSubmit={({ name, password }) => accept.mutate({ token, password, name: name.trim() || undefined })}
        submitLabel="Join"
      >
        {(form) => (
          <>
            {!data.hasAccount && (
              <TextInput
                label="Your name"
                autoComplete="name"
                maxLength={200}
                autoFocus
                {...form.getInputProps('name')}
              />
            )}
            <DoorPassword
              account={data.email}
              label={data.hasAccount ? 'Password of your account' : 'Choose a password'}
              description={data.hasAccount ? undefined : newPasswordHelp}
              autoComplete={data.hasAccount ? 'current-password' : 'new-password'}
              {...form.getInputProps('password')}
            />
          </>
        )}
      </DoorForm>
    </DoorCard>
  );
}
