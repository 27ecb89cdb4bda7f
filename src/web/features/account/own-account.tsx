import { Button, Group, PasswordInput, Stack, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { notifications } from '@mantine/notifications';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { explain } from '#web/api/errors.ts';
import {
  deleteAccountMutation,
  patchMeMutation,
  readMeOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { sessionToken } from '#web/api/session-token.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { SubmitButton } from '#web/ui/submit-button.tsx';

/** The name that the account gives itself. */
export function NameForm({ name }: { name: string }) {
  const queryClient = useQueryClient();
  const [text, setText] = useState(name);
  const rename = useMutation({
    ...patchMeMutation(),
    onSuccess: (me) => {
      queryClient.setQueryData(readMeOptions().queryKey, me);
      notifications.show({ color: 'green', message: 'Name changed' });
    },
  });
  const problem = rename.isError ? explain(rename.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') rename.mutate({ body: { name: text.trim() } });
  };
  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs">
        <TextInput
          label="Name"
          w={320}
          value={text}
          maxLength={200}
          onChange={(event) => setText(event.currentTarget.value)}
          error={problem === null ? undefined : (problem.fields['name'] ?? problem.detail)}
        />
        <SubmitButton
          variant="default"
          loading={rename.isPending}
          disabled={text.trim() === '' || text.trim() === name}
        >
          Save name
        </SubmitButton>
      </Group>
    </form>
  );
}

/** Asks for the password before the account is gone for good. */
export function DeleteAccount() {
  const [asking, { open, close }] = useDisclosure(false);
  const [password, setPassword] = useState('');
  const remove = useMutation({
    ...deleteAccountMutation(),
    onSuccess: () => sessionToken.clear('signed out'),
  });
  const problem = remove.isError ? explain(remove.error) : null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (password !== '') remove.mutate({ body: { password } });
  };
  if (!asking)
    return (
      <Button variant="default" onClick={open}>
        Delete account…
      </Button>
    );
  return (
    <form onSubmit={submit} aria-label="Delete account">
      <Stack gap="sm" maw={420}>
        {problem !== null && problem.fields['password'] === undefined && <ProblemAlert {...problem} />}
        <Text>Your projects and comments stay with their organizations. This can't be undone.</Text>
        <PasswordInput
          label="Your password"
          autoComplete="current-password"
          autoFocus
          visibilityToggleButtonProps={{ 'aria-label': 'Show the password', tabIndex: 0 }}
          value={password}
          onChange={(event) => setPassword(event.currentTarget.value)}
          error={problem?.fields['password']}
        />
        <Group gap="xs">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <SubmitButton color="red" loading={remove.isPending} disabled={password === ''}>
            Delete my account
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
