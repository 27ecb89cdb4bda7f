import {
  ActionIcon,
  Button,
  CopyButton,
  Group,
  Modal,
  Skeleton,
  Stack,
  Text,
  Title,
  Tooltip,
} from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconCheck,
  IconDots,
  IconFocus2,
  IconLink,
  IconPencil,
  IconPhotoEdit,
  IconTrash,
  IconX,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, type RefObject, useState } from 'react';
import type { Bookmark } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { ActionMenu } from '#web/ui/action-menu.tsx';
import { askFirst } from '#web/ui/ask-first.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import type { KeptView } from '#web/viewer/ScanViewer.tsx';
import { BookmarkComments } from './bookmark-comments.tsx';
import { BookmarkForm } from './bookmark-form.tsx';
import { linkTo } from './bookmark-link.ts';
import { BookmarkRenders } from './bookmark-renders.tsx';
import classes from './bookmarks.module.css';
import { useDeleteBookmark, useUpdateBookmark } from './mutations.ts';
import { bookmarkOptions } from './queries.ts';

interface BookmarkPanelProps {
  bookmarkId: string;
  viewer: RefObject<KeptView | null>;
  /** why the bookmark can't be changed; null = it can */
  editReason: string | null;
  commentReason: string | null;
  onRestore: (bookmark: Bookmark) => void;
  onClose: () => void;
}

/** The open bookmark: its description, comments and rendered pictures. */
export function BookmarkPanel(props: BookmarkPanelProps) {
  const { bookmarkId, viewer, editReason, commentReason, onRestore, onClose } = props;
  const query = useQuery(bookmarkOptions(bookmarkId));
  const bookmark = query.data;
  return (
    <section className={classes.panel} aria-label="Bookmark">
      {query.isError && !bookmark ? (
        <Stack gap="xs">
          <ProblemAlert error={query.error} />
          <Button variant="default" size="compact-sm" onClick={onClose}>
            Close
          </Button>
        </Stack>
      ) : bookmark === undefined ? (
        <Skeleton height={80} />
      ) : (
        <Stack gap="md">
          <Head {...props} bookmark={bookmark} />
          <Section title="Comments">
            <BookmarkComments bookmarkId={bookmark.id} reason={commentReason} />
          </Section>
          <Section title="Renders">
            <BookmarkRenders
              bookmark={bookmark}
              viewer={viewer}
              onRestore={() => onRestore(bookmark)}
              reason={editReason}
            />
          </Section>
        </Stack>
      )}
    </section>
  );
}

function Section({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack gap={6}>
      <Title order={3} fz="md" c="dimmed">
        {title}
      </Title>
      {children}
    </Stack>
  );
}

function Head({
  bookmark,
  viewer,
  editReason,
  onRestore,
  onClose,
}: BookmarkPanelProps & { bookmark: Bookmark }) {
  const [editing, setEditing] = useState(false);
  const update = useUpdateBookmark();
  const rename = useUpdateBookmark();
  const remove = useDeleteBookmark();
  const keepView = () => {
    if (viewer.current === null) return;
    update.mutate(
      { bookmark, viewer: viewer.current },
      {
        onError: notifyFailure,
        onSuccess: () => notifications.show({ message: `“${bookmark.name}” updated` }),
      },
    );
  };
  const askDelete = () =>
    askFirst({
      title: `Delete the bookmark “${bookmark.name}”?`,
      children: (
        <>
          Its {bookmark.commentCount === 1 ? 'comment' : `${bookmark.commentCount} comments`} and renders go
          with it. This can't be undone.
        </>
      ),
      confirmLabel: 'Delete the bookmark',
      onConfirm: () => remove.mutate(bookmark.id, { onError: notifyFailure, onSuccess: onClose }),
    });
  return (
    <Stack gap={6}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Title order={2} size="h3" style={{ overflowWrap: 'anywhere' }}>
          {bookmark.name}
        </Title>
        <Group gap={2} wrap="nowrap">
          <CopyButton value={linkTo(bookmark)}>
            {({ copied, copy }) => (
              <Tooltip
                label={copied ? 'Copied' : 'Copy the link; it opens for everyone who can see the project'}
              >
                <ActionIcon size="sm" aria-label={copied ? 'Link copied' : 'Copy the link'} onClick={copy}>
                  {copied ? <IconCheck size={15} aria-hidden /> : <IconLink size={15} aria-hidden />}
                </ActionIcon>
              </Tooltip>
            )}
          </CopyButton>
          <ActionMenu
            actions={[
              {
                label: 'Edit name and note',
                command: 'Edit name and note of the bookmark',
                icon: IconPencil,
                reason: editReason,
                run: () => setEditing(true),
              },
              {
                label: 'Update to the current view',
                command: 'Update the bookmark to the current view',
                icon: IconPhotoEdit,
                reason: editReason,
                run: keepView,
              },
              {
                label: 'Delete',
                command: 'Delete the bookmark',
                icon: IconTrash,
                color: 'var(--mantine-color-text)',
                reason: editReason,
                run: askDelete,
              },
            ]}
          >
            <ActionIcon size="sm" aria-label="More about the bookmark">
              <IconDots size={15} aria-hidden />
            </ActionIcon>
          </ActionMenu>
          <Tooltip label="Close the bookmark">
            <ActionIcon size="sm" aria-label="Close the bookmark" onClick={onClose}>
              <IconX size={15} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        {bookmark.author === null ? '' : `${bookmark.author.name || bookmark.author.email}, `}
        <RelativeTime value={bookmark.createdAt} />
      </Text>
      {bookmark.description !== '' && <p className={classes.text}>{bookmark.description}</p>}
      <Group>
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconFocus2 size={14} aria-hidden />}
          onClick={() => onRestore(bookmark)}
        >
          Back to the view
        </Button>
      </Group>
      <Modal opened={editing} onClose={() => setEditing(false)} title="Edit name and note">
        <BookmarkForm
          label="Bookmark"
          words={bookmark}
          submitLabel="Save"
          mutation={rename}
          onCancel={() => setEditing(false)}
          onSubmit={(words) => rename.mutate({ bookmark, ...words }, { onSuccess: () => setEditing(false) })}
        />
      </Modal>
    </Stack>
  );
}
