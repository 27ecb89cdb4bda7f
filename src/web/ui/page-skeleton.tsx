import { Skeleton, Stack } from '@mantine/core';

/** Placeholder while a page's code and first data load. */
export function PageSkeleton() {
  return (
    <Stack gap="sm" p="md" aria-busy="true" aria-label="Loading the page" role="status">
      <Skeleton height={24} width={220} />
      <Skeleton height={32} />
      {['a', 'b', 'c', 'd', 'e', 'f'].map((row) => (
        <Skeleton key={row} height={28} />
      ))}
    </Stack>
  );
}
