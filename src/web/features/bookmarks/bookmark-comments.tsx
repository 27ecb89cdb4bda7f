import { Group, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import { ActionButton } from '#web/ui/action-button.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import classes from './bookmarks.module.css';
import { useCreateComment } from './mutations.ts';
import { commentOptions } from './queries.ts';

interface BookmarkCommentsProps {
  bookmarkId: string;
  /** why nothing can be said; null = it can */
  reason: string | null;
}

/** What was said about a view, live, and a field to say more. */
export function BookmarkComments({ bookmarkId, reason }: BookmarkCommentsProps) {
  const comments = useQuery(commentOptions(bookmarkId));
  const create = useCreateComment(bookmarkId);
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason !== null || text.trim() === '' || create.isPending) return;
    create.mutate(text.trim(), { onSuccess: () => setText('') });
  };
  return (
    <Stack gap="xs">
      {comments.isError && !comments.data ? (
        <ProblemAlert query={comments} />
      ) : comments.isPending ? (
        <Skeleton height={36} />
      ) : (
        <ul className={classes.comments} aria-label="Comments" aria-live="polite">
          {comments.data.results.map(({ id, text, author, createdAt }) => (
            <li key={id}>
              <Group gap={6}>
                <Text span size="sm" fw={600}>
                  {author.name || author.email}
                </Text>
                <Text span size="sm" c="dimmed">
                  <RelativeTime value={createdAt} />
                </Text>
              </Group>
              <p className={classes.text}>{text}</p>
            </li>
          ))}
        </ul>
      )}
      <form onSubmit={submit} aria-label="New comment">
        <Stack gap={6}>
          <ProblemAlert error={create.error} />
          <Textarea
            aria-label="Comment"
            placeholder="Add a comment"
            autosize
            minRows={2}
            maxRows={8}
            maxLength={20_000}
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
          <Group justify="flex-end">
            <ActionButton
              type="submit"
              size="compact-sm"
              variant="default"
              reason={reason}
              loading={create.isPending}
              disabled={text.trim() === ''}
            >
              Comment
            </ActionButton>
          </Group>
        </Stack>
      </form>
    </Stack>
  );
}
