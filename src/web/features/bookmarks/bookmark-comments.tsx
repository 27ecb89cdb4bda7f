import { Group, Skeleton, Stack, Text, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { BookmarkCommentInput } from '#contract/shapes/bookmark.ts';
import { Form } from '#web/ui/form.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import classes from './bookmarks.module.css';
import { useCreateComment } from './mutations.ts';
import { commentOptions } from './queries.ts';

interface BookmarkCommentsProps {
  bookmarkId: string;
  /** why the user can't comment; null = they can */
  reason: string | null;
}

/** The comments on a view, updated live, and a field to add one. */
export function BookmarkComments({ bookmarkId, reason }: BookmarkCommentsProps) {
  const comments = useQuery(commentOptions(bookmarkId));
  const create = useCreateComment(bookmarkId);
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
      <Form
        label="New comment"
        initial={{ text: '' }}
        schema={BookmarkCommentInput}
        mutation={create}
        reason={reason}
        onSubmit={({ text }, form) => create.mutate(text.trim(), { onSuccess: form.reset })}
        submitLabel="Comment"
        submitLook={{ size: 'compact-sm', variant: 'default' }}
      >
        {(form) => (
          <Textarea
            aria-label="Comment"
            placeholder="Add a comment"
            autosize
            minRows={2}
            maxRows={8}
            maxLength={20_000}
            {...form.getInputProps('text')}
          />
        )}
      </Form>
    </Stack>
  );
}
