import { Modal, Tooltip } from '@mantine/core';
import { IconBookmarkPlus, IconBookmarks, IconBroadcast } from '@tabler/icons-react';
import type { RefObject } from 'react';
import { notifyWithLink } from '#web/ui/link-toast.tsx';
import classes from '#web/ui/toolbar-button.module.css';
import type { KeptView } from '#web/viewer/ScanViewer.tsx';
import { BookmarkForm, type BookmarkWords } from './bookmark-form.tsx';
import { linkTo } from './bookmark-link.ts';

import { useCreateBookmark } from './mutations.ts';

interface SaveBookmarkProps {
  projectId: string;
  viewer: RefObject<KeptView | null>;
  opened: boolean;
  onOpen: (opened: boolean) => void;
  onCreated?: (bookmarkId: string) => void;
}

interface BookmarkButtonProps extends SaveBookmarkProps {
  /** why no bookmark can be created; null = it can */
  reason: string | null;
  /** whether the list of bookmarks is open */
  isListed: boolean;
  onList: (isListed: boolean) => void;
  /** starts sharing the view live; null while it is shared */
  onShare: (() => void) | null;
}

/** In the viewer's toolbar: saves the current view as a bookmark. */
export function BookmarkButton(props: BookmarkButtonProps) {
  const { reason, onOpen, isListed, onList, onShare } = props;
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
          <span className={classes.word}>Bookmark</span>
        </button>
      </Tooltip>
      <Tooltip label="Bookmarks beside the view (Shift + B)">
        <button
          type="button"
          className={classes.toolbarButton}
          aria-label="Bookmarks beside the view"
          aria-pressed={isListed}
          aria-keyshortcuts="Shift+B"
          onClick={() => onList(!isListed)}
        >
          <IconBookmarks size={16} aria-hidden />
        </button>
      </Tooltip>
      {onShare && (
        <Tooltip label="Share the view live with colleagues who have the link">
          <button
            type="button"
            className={classes.toolbarButton}
            aria-label="Share the view live"
            onClick={onShare}
          >
            <IconBroadcast size={16} aria-hidden />
          </button>
        </Tooltip>
      )}
      <SaveBookmark {...props} />
    </>
  );
}

/** Asks for the name of the bookmark, then offers its link. */
export const SaveBookmark = (props: SaveBookmarkProps) => (
  <Modal opened={props.opened} onClose={() => props.onOpen(false)} title="Save bookmark">
    <NewBookmark {...props} />
  </Modal>
);

function NewBookmark({ projectId, viewer, onOpen, onCreated }: SaveBookmarkProps) {
  const create = useCreateBookmark(projectId);
  const keep = (words: BookmarkWords) => {
    if (viewer.current === null) return;
    create.mutate(
      { viewer: viewer.current, ...words },
      {
        onSuccess: (bookmark) => {
          onOpen(false);
          onCreated?.(bookmark.id);
          notifyWithLink(`“${bookmark.name}” saved`, linkTo(bookmark));
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
