import { List, Skeleton, Stack, Text } from '@mantine/core';
import { queryOptions, useQuery } from '@tanstack/react-query';
import { formatCount } from '#contract/base/format-number.ts';
import type { BulkRequest } from '#contract/shapes/bulk-request.ts';
import { previewBulk } from '#web/api/generated/sdk.gen.ts';
import { bulkWords, countProjects } from '#web/ui/bulk-words.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';

export interface BulkProposal {
  operationType: BulkRequest['operationType'];
  /** null while loading */
  projectIds: string[] | null;
  recipePk?: string;
}

/** Why a request can't be sent yet; null = it can. */
export const whyWait = (proposal: BulkProposal | null | undefined): string | null =>
  proposal?.projectIds === null ? 'Finding the projects…' : null;

const bulkPreviewOptions = ({ operationType, projectIds, recipePk }: BulkProposal) =>
  queryOptions({
    queryKey: ['previewBulk', operationType, projectIds, recipePk ?? null],
    queryFn: async ({ signal }) =>
      (await previewBulk({ body: { operationType, projectIds: projectIds ?? [], recipePk }, signal })).data,
    enabled: projectIds !== null && projectIds.length > 0,
    // The preview must be current when the button is pressed.
    staleTime: 0,
    gcTime: 0,
  });

/** The preview of a request; dialogs use it to tell whether anything would change. */
export const useBulkPreview = (proposal: BulkProposal) => useQuery(bulkPreviewOptions(proposal));

/** The effect on the projects, such as “will be archived”. */
export const wouldBe: Record<BulkRequest['operationType'], string> = {
  ...Object.fromEntries(Object.entries(bulkWords).map(([type, { done }]) => [type, `will be ${done}`])),
  runRecipe: 'will go through the recipe',
} as Record<BulkRequest['operationType'], string>;

/**
 * How many projects will change, how many need no change, and which can't be changed and why: shown before anything
 * happens.
 */
export function BulkPreview({ proposal }: { proposal: BulkProposal }) {
  const { data, error, isError, refetch } = useBulkPreview(proposal);
  if (isError && data === undefined) return <ProblemAlert error={error} onRetry={() => void refetch()} />;
  if (data === undefined)
    return (
      <Stack gap={6} aria-busy="true" aria-label="Loading the preview">
        <Skeleton height={12} width="60%" />
        <Skeleton height={12} width="40%" />
      </Stack>
    );
  const { changedCount, unchangedCount, refusedCount, refused } = data;
  return (
    <Stack gap={6} role="status" aria-label="What will change">
      <Text>
        <b>{countProjects(changedCount)}</b> {wouldBe[proposal.operationType]}.
        {unchangedCount > 0 && ` ${formatCount(unchangedCount)} need no change.`}
      </Text>
      {refusedCount > 0 && (
        <>
          <Text c="var(--mantine-color-text)">{countProjects(refusedCount)} can’t:</Text>
          <List size="sm" spacing={2}>
            {refused.map(({ code, detail, count, examples }) => {
              const names = examples.flatMap(({ name }) => name ?? []);
              return (
                <List.Item key={`${code} ${detail}`}>
                  {formatCount(count)}: {detail}
                  {names.length > 0 && (
                    <Text span inherit c="dimmed">
                      {' '}
                      ({names.join(', ')}
                      {count > names.length ? ' …' : ''})
                    </Text>
                  )}
                </List.Item>
              );
            })}
          </List>
        </>
      )}
    </Stack>
  );
}
