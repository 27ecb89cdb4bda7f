import { PasswordInput, Text } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { AccountDeletion, MePatch } from '#contract/shapes/session.ts';
import {
  deleteAccountMutation,
  patchMeMutation,
  readMeOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { sessionToken } from '#web/api/session-token.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { Form, NameForm } from '#web/ui/form.tsx';

/** Form for the user's own name. */
export function OwnName({ name }: { name: string }) {
  const queryClient = useQueryClient();
  const rename = useMutation({
    ...patchMeMutation(),
    onSuccess: (me) => {
      queryClient.setQueryData(readMeOptions().queryKey, me);
      notifications.show({ message: 'Name changed' });
    },
  });
  return (
    <NameForm
      name={name}
      schema={MePatch}
      mutation={rename}
      onSubmit={(body) => rename.mutate({ body })}
      submitLabel="Save name"
    />
  );
}

/** Asks for the password before the account is deleted permanently. */
export function DeleteAccount() {
  const [asking, { open, close }] = useDisclosure(false);
  const remove = useMutation({
    ...deleteAccountMutation(),
    onSuccess: () => sessionToken.clear('signed out'),
  });
  if (!asking)
    return (
      <ActionButton variant="default" onClick={open}>
        Delete account…
      </ActionButton>
    );
  return (
    <Form
      label="Delete account"
      initial={{ password: '' }}
      schema={AccountDeletion}
      mutation={remove}
      onSubmit={(body) => remove.mutate({ body })}
      submitLabel="Delete my account"
      isDangerous
      onCancel={close}
    >
      {(form) => (
        <>
          <Text>Your projects and comments stay with their organizations. This can't be undone.</Text>
          <PasswordInput
            label="Your password"
            autoComplete="current-password"
            autoFocus
            visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
            {...form.getInputProps('password')}
          />
        </>
      )}
    </Form>
  );
}
