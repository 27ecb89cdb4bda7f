import { Group, PasswordInput, Stack } from '@mantine/core';
import { useForm } from '@mantine/form';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { passwordLength } from '#contract/shapes/password-length.ts';
import { PasswordChangeInput } from '#contract/shapes/session.ts';
import { explain } from '#web/api/errors.ts';
import { passwordChangeMutation } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { keyMatches } from '#web/api/live-event-queries.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { SubmitButton } from '#web/ui/submit-button.tsx';

const toggle = { 'aria-label': 'Show the password', tabIndex: 0 };

export function PasswordForm() {
  const queryClient = useQueryClient();
  const form = useForm({
    initialValues: { oldPassword: '', newPassword: '', repeated: '' },
    validateInputOnBlur: true,
    validate: {
      oldPassword: (value) => (value === '' ? 'Type the password that you have now' : null),
      newPassword: (value, { oldPassword }) => {
        const { error } = PasswordChangeInput.shape.newPassword.safeParse(value);
        if (error !== undefined)
          return `It needs ${passwordLength.min} characters or more; it has ${value.length}`;
        return value === oldPassword ? 'It has to differ from the old one' : null;
      },
      repeated: (value, { newPassword }) =>
        value === newPassword ? null : 'It differs from the new password',
    },
  });
  const change = useMutation({
    ...passwordChangeMutation(),
    onSuccess: () => {
      form.reset();
      notifications.show({
        message: 'The password is changed; your other sessions have ended.',
      });
      void queryClient.invalidateQueries({
        predicate: ({ queryKey }) => keyMatches(queryKey, { operation: 'listAccessTokens' }),
      });
    },
    onError: (error) => form.setErrors(explain(error).fields),
  });
  const problem = change.isError ? explain(change.error) : null;
  const submit = form.onSubmit(({ oldPassword, newPassword }) =>
    change.mutate({ body: { oldPassword, newPassword } }),
  );
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm" maw={420}>
        {problem !== null && Object.keys(problem.fields).length === 0 && <ProblemAlert {...problem} />}
        <PasswordInput
          label="Old password"
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
          label="New password again"
          autoComplete="new-password"
          visibilityToggleButtonProps={toggle}
          {...form.getInputProps('repeated')}
        />
        <Group>
          <SubmitButton loading={change.isPending}>Change the password</SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
