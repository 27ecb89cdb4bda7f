import { Button } from '@mantine/core';
import { EmptyState } from './empty-state.tsx';

export function PageNotFound() {
  return (
    <EmptyState
      order={1}
      title="No page at this address"
      action={
        <Button component="a" href="/" variant="default">
          Go to projects
        </Button>
      }
    >
      The address may be incomplete, or what it points to was moved, deleted, or is not shared with you.
    </EmptyState>
  );
}
