import { Anchor, Button, Skeleton, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { explain } from '#web/api/errors.ts';
import { readPasswordReset, requestPasswordReset, resetPassword } from '#web/api/generated/sdk.gen.ts';
import { sessionToken } from '#web/api/session-token.ts';
import { DoorCard, DoorForm, DoorPassword, DoorTitle, isFilled } from './door-form.tsx';
import { checkNewPassword, newPasswordHelp } from './new-password.ts';

/** Asks for a link by email. The response never reveals whether the account exists. */
export function ForgotPasswordForm() {
  const request = useMutation({
    mutationFn: async (email: string) => {
      await requestPasswordReset({ body: { email } });
    },
  });
  return (
    <DoorCard>
      <Title order={1}>Reset your password</Title>
      {request.isSuccess ? (
        <Text role="status">
          If {request.variables} has an account, a link is on its way. It works for an hour. If nothing
          arrives, ask a manager of your organization.
        </Text>
      ) : (
        <DoorForm
          label="Reset your password"
          initial={{ email: '' }}
          rules={{ email: isFilled('Type the email address of your account') }}
          mutation={request}
          onSubmit={({ email }) => request.mutate(email.trim())}
          submitLabel="Email me a link"
        >
          {(form) => (
            <TextInput
              label="Email"
              type="email"
              autoComplete="username"
              autoFocus
              {...form.getInputProps('email')}
            />
          )}
        </DoorForm>
      )}
      <Anchor href="/sign-in">Sign in</Anchor>
    </DoorCard>
  );
}

/** @param token from the fragment (#) of the link */
export function ResetPasswordForm({ token }: { token: string }) {
  const link = useQuery({
    queryKey: ['passwordReset', token],
    queryFn: async () => (await readPasswordReset({ body: { token } })).data,
    retry: false,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const reset = useMutation({
    mutationFn: async (newPassword: string) => {
      await resetPassword({ body: { token, newPassword } });
    },
    onSuccess: () => sessionToken.clear('signed out'),
  });
  const { data } = link;
  if (link.isPending)
    return (
      <DoorCard>
        <Skeleton height={120} aria-busy="true" />
      </DoorCard>
    );
  if (data === undefined)
    return (
      <DoorCard>
        <Title order={1}>This link is not valid</Title>
        <Text role="alert">{explain(link.error).detail}</Text>
        <Anchor href="/sign-in">Sign in</Anchor>
      </DoorCard>
    );
  if (reset.isSuccess)
    return (
      <DoorCard>
        <Title order={1}>Password changed</Title>
        <Text role="status">You are signed out everywhere. Sign in with the new password.</Text>
        <Button component="a" href="/sign-in">
          Sign in
        </Button>
      </DoorCard>
    );
  return (
    <DoorCard>
      <DoorTitle title="Choose a new password">{data.email}</DoorTitle>
      <DoorForm
        label="Reset password"
        initial={{ newPassword: '' }}
        rules={{ newPassword: checkNewPassword }}
        mutation={reset}
        onSubmit={({ newPassword }) => reset.mutate(newPassword)}
        submitLabel="Change password"
      >
        {(form) => (
          <DoorPassword
            account={data.email}
            label="New password"
            description={newPasswordHelp}
            autoComplete="new-password"
            autoFocus
            {...form.getInputProps('newPassword')}
          />
        )}
      </DoorForm>
    </DoorCard>
  );
}
