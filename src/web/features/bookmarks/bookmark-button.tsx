import { Modal, Tooltip } from '@mantine/core';
import { IconBookmarkPlus } from '@tabler/icons-react';
import type { RefObject } from 'react';
import type { ScanViewerHandle } from '#web/viewer/ScanViewer.tsx';
import { BookmarkForm, type BookmarkWords } from './bookmark-form.tsx';
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
      <Tooltip label={reason ?? 'Save bookmark (b)'} multiline maw={320}>
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
      <Modal opened={opened} onClose={() => onOpen(false)} title="Save bookmark">
        <NewBookmark {...props} />
      </Modal>
    </>
  );
}

function NewBookmark({ projectId, viewer, onOpen, onCreated }: BookmarkButtonProps) {
  const create = useCreateBookmark(projectId);
  const keep = (words: BookmarkWords) => {
    if (viewer.current === null) return;
    create.mutate(
      { viewer: viewer.current, ...words },
      {
        onSuccess: ({ id }) => {
          onOpen(false);
          onCreated(id);
        },
      },
    );
  };
  return (
    <BookmarkForm
      label="New bookmark"
      submitLabel="Save"
      mutation={create}
      onCancel={() => onOpen(false)}
      onSubmit={keep}
    />
  );
}
