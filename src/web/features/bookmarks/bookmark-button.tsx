import { Button, Group, Modal, Stack, Textarea, TextInput, Tooltip } from '@mantine/core';
import { IconBookmarkPlus } from '@tabler/icons-react';
import { type FormEvent, type RefObject, useState } from 'react';
import { explain } from '#web/api/errors.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { SubmitButton } from '#web/ui/submit-button.tsx';
import type { ScanViewerHandle } from '#web/viewer/ScanViewer.tsx';
import classes from './bookmarks.module.css';
import { useCreateBookmark } from './mutations.ts';

interface BookmarkButtonProps {
  projectId: string;
  viewer: RefObject<ScanViewerHandle | null>;
  /** why no bookmark can be made; null = it can */
  reason: string | null;
  opened: boolean;
  onOpen: (opened: boolean) => void;
  onCreated: (bookmarkId: string) => void;
}

/** In the viewer's toolbar: keeps what is shown under a name. */
export function BookmarkButton(props: BookmarkButtonProps) {
  const { reason, opened, onOpen } = props;
  return (
    <>
      <Tooltip label={reason ?? 'Keep this view as a bookmark (b)'} multiline maw={320}>
        <button
          type="button"
          className={classes.toolbarButton}
          aria-disabled={reason !== null || undefined}
          aria-description={reason ?? undefined}
          aria-keyshortcuts="b"
          onClick={() => reason === null && onOpen(true)}
        >
          <IconBookmarkPlus size={16} aria-hidden />
          Bookmark
        </button>
      </Tooltip>
      <Modal opened={opened} onClose={() => onOpen(false)} title="Keep this view">
        <BookmarkForm {...props} />
      </Modal>
    </>
  );
}

function BookmarkForm({ projectId, viewer, onOpen, onCreated }: BookmarkButtonProps) {
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const create = useCreateBookmark(projectId);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (viewer.current === null || name.trim() === '') return;
    create.mutate(
      { viewer: viewer.current, name: name.trim(), description: description.trim() },
      {
        onSuccess: ({ id }) => {
          onOpen(false);
          onCreated(id);
        },
      },
    );
  };
  return (
    <form onSubmit={submit} aria-label="New bookmark">
      <Stack gap="sm">
        {create.isError && <ProblemAlert {...explain(create.error)} />}
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
          <Button variant="default" onClick={() => onOpen(false)}>
            Cancel
          </Button>
          <SubmitButton loading={create.isPending} disabled={name.trim() === ''}>
            Keep the view
          </SubmitButton>
        </Group>
      </Stack>
    </form>
  );
}
