import { Button, Group, Stack, Textarea, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { SubmitButton } from '#web/ui/submit-button.tsx';

export interface BookmarkWords {
  name: string;
  description: string;
}

interface BookmarkFormProps {
  /** the form's name */
  label: string;
  words?: BookmarkWords;
  submitLabel: string;
  isPending: boolean;
  /** of the last try; null: none */
  error: unknown;
  onCancel: () => void;
  onSubmit: (words: BookmarkWords) => void;
}

/** What a bookmark is called and what there is to see in it. */
export function BookmarkForm({
  label,
  words = { name: '', description: '' },
  submitLabel,
  isPending,
  error,
  onCancel,
  onSubmit,
}: BookmarkFormProps) {
  const [name, setName] = useState(words.name);
  const [description, setDescription] = useState(words.description);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (name.trim() !== '') onSubmit({ name: name.trim(), description: description.trim() });
  };
  return (
    <form onSubmit={submit} aria-label={label}>
      <Stack gap="sm">
        {error !== null && <ProblemAlert error={error} />}
        <TextInput
          label="Name"
          required
          maxLength={200}
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
          data-autofocus
        />
        <Textarea
          label="What there is to see"
          autosize
          minRows={2}
          maxRows={8}
          value={description}
          onChange={(event) => setDescription(event.currentTarget.value)}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onCancel}>
            Cancel
          </Button>
          <SubmitButton loading={isPending} disabled={name.trim() === ''}>
            {submitLabel}
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
