import { ActionIcon, Group, Skeleton, Text, Title, Tooltip, VisuallyHidden } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconPresentation, IconX } from '@tabler/icons-react';
import { type DragEvent, type KeyboardEvent, useRef, useState } from 'react';
import { resolveAddress } from '#web/api/session-token.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import classes from './bookmarks.module.css';
import type { StoryModel } from './use-story.ts';

interface StoryPanelProps {
  story: StoryModel;
  /** why the order can't be changed; null = it can */
  reason: string | null;
  onClose: () => void;
}

/** On a small screen the panel is below the view. */
const showWhenOpened = (panel: HTMLElement | null) => panel?.scrollIntoView({ block: 'nearest' });

/** The project's bookmarks in presentation order; each restores its view in the viewer beside the panel. */
export function StoryPanel({ story, reason, onClose }: StoryPanelProps) {
  const { query, bookmarks } = story;
  const hidden = (query.data?.count ?? 0) - bookmarks.length;
  return (
    <section aria-labelledby="story-title" ref={showWhenOpened}>
      <Group justify="space-between" mb={6} wrap="nowrap">
        <Title order={2} size="h2" id="story-title">
          Bookmarks
        </Title>
        <Group gap={4} wrap="nowrap">
          <ActionButton
            variant="default"
            size="compact-sm"
            leftSection={<IconPresentation size={14} aria-hidden />}
            reason={bookmarks.length > 0 ? null : 'Save a bookmark first.'}
            onClick={story.present}
          >
            Present
          </ActionButton>
          <Tooltip label="Close the bookmarks">
            <ActionIcon size="sm" aria-label="Close the bookmarks" onClick={onClose}>
              <IconX size={15} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {query.isError && !query.data ? (
        <ProblemAlert query={query} />
      ) : query.isPending ? (
        <Skeleton height={54} />
      ) : bookmarks.length === 0 ? (
        <Text size="sm" c="dimmed">
          A bookmark keeps what the viewer shows. Put several in order and present them with the arrow keys.
        </Text>
      ) : (
        <Slides story={story} reason={reason} />
      )}
      {hidden > 0 && (
        <Text size="sm" c="dimmed" mt={6}>
          {hidden} more after these are in the tab Bookmarks.
        </Text>
      )}
    </section>
  );
}

function Slides({ story, reason }: Pick<StoryPanelProps, 'story' | 'reason'>) {
  const { bookmarks } = story;
  const list = useRef<HTMLOListElement>(null);
  const [dragged, setDragged] = useState<number | null>(null);
  const [over, setOver] = useState<number | null>(null);
  const [announcement, setAnnouncement] = useState('');
  const move = (from: number, to: number) => {
    if (reason !== null || to < 0 || to >= bookmarks.length || to === from) return;
    story.move(from, to);
    setAnnouncement(`“${bookmarks[from]?.name}” is now ${to + 1} of ${bookmarks.length}`);
  };
  const keys = (event: KeyboardEvent, index: number) => {
    const by = event.key === 'ArrowUp' ? -1 : event.key === 'ArrowDown' ? 1 : 0;
    if (by === 0) return;
    event.preventDefault();
    if (event.altKey) move(index, index + by);
    else list.current?.querySelectorAll<HTMLElement>('[data-slide]')[index + by]?.focus();
  };
  const drag = (index: number) =>
    reason !== null
      ? {}
      : {
          draggable: true,
          onDragStart: (event: DragEvent) => {
            event.dataTransfer.effectAllowed = 'move';
            event.dataTransfer.setData('text/plain', bookmarks[index]?.name ?? '');
            setDragged(index);
          },
          onDragOver: (event: DragEvent) => {
            if (dragged === null) return;
            event.preventDefault();
            setOver(index);
          },
          onDrop: (event: DragEvent) => {
            event.preventDefault();
            if (dragged !== null) move(dragged, index);
          },
          onDragEnd: () => {
            setDragged(null);
            setOver(null);
          },
        };
  return (
    <>
      <ol ref={list} className={classes.story} aria-label="Story">
        {bookmarks.map((bookmark, index) => (
          <li
            key={bookmark.id}
            data-shown={index === story.index || undefined}
            data-over={
              (dragged !== null &&
                over === index &&
                dragged !== index &&
                (dragged < index ? 'after' : 'before')) ||
              undefined
            }
            {...drag(index)}
          >
            <button
              type="button"
              data-slide
              className={classes.slide}
              aria-current={index === story.index || undefined}
              aria-keyshortcuts={reason === null ? 'Alt+ArrowUp Alt+ArrowDown' : undefined}
              onClick={() => story.goTo(index)}
              onKeyDown={(event) => keys(event, index)}
            >
              <span className={classes.number}>{index + 1}</span>
              {bookmark.thumbnailUrl === null ? (
                <span className={classes.small} />
              ) : (
                <img
                  className={classes.small}
                  src={resolveAddress(bookmark.thumbnailUrl)}
                  alt=""
                  loading="lazy"
                  draggable={false}
                />
              )}
              <span className={classes.slideName}>{bookmark.name}</span>
            </button>
            {bookmarks.length > 1 && reason === null && (
              <span className={classes.moves}>
                <ActionIcon
                  size="xs"
                  aria-label={`Move ${bookmark.name} up`}
                  disabled={index === 0}
                  onClick={() => move(index, index - 1)}
                >
                  <IconArrowUp size={13} aria-hidden />
                </ActionIcon>
                <ActionIcon
                  size="xs"
                  aria-label={`Move ${bookmark.name} down`}
                  disabled={index === bookmarks.length - 1}
                  onClick={() => move(index, index + 1)}
                >
                  <IconArrowDown size={13} aria-hidden />
                </ActionIcon>
              </span>
            )}
          </li>
        ))}
      </ol>
      <VisuallyHidden role="status">{announcement}</VisuallyHidden>
    </>
  );
}
