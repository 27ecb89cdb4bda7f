import { PasswordInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMutation } from '@tanstack/react-query';
import { passwordLength } from '#contract/shapes/password-length.ts';
import { PasswordChangeInput } from '#contract/shapes/session.ts';
import { passwordChangeMutation } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { useRefresh } from '#web/api/refresh.ts';
import { Form } from '#web/ui/form.tsx';

const toggle = { 'aria-label': 'Show the password', tabIndex: 0 };

export function PasswordForm() {
  const refreshTokens = useRefresh('listAccessTokens');
  const change = useMutation({
    ...passwordChangeMutation(),
    onSuccess: () => {
      notifications.show({ message: 'Password changed; your other sessions have ended.' });
      void refreshTokens();
    },
  });
  return (
    <Form
      // Remounts the form, so that it is empty after a change.
      key={change.isSuccess ? change.submittedAt : 0}
      initial={{ oldPassword: '', newPassword: '', repeated: '' }}
      schema={PasswordChangeInput}
      toInput={({ oldPassword, newPassword }) => ({ oldPassword, newPassword })}
      check={({ oldPassword, newPassword, repeated }) => ({
        ...(newPassword === oldPassword && { newPassword: 'Must differ from the current one' }),
        ...(newPassword !== repeated && { repeated: 'Does not match the new password' }),
      })}
      words={{ oldPassword: 'Type your current password' }}
      mutation={change}
      onSubmit={(body) => change.mutate({ body })}
      submitLabel="Change the password"
    >
      {(form) => (
        <>
          <PasswordInput
            label="Current password"
            autoComplete="current-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('oldPassword')}
          />
          <PasswordInput
            label="New password"
            description={`At least ${passwordLength.min} characters, not easy to guess.`}
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('newPassword')}
          />
          <PasswordInput
            label="Repeat new password"
            autoComplete="new-password"
            visibilityToggleButtonProps={toggle}
            {...form.getInputProps('repeated')}
          />
        </>
      )}
    </Form>
  );
}
