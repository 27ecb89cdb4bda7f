import { Button, Text } from '@mantine/core';
import { IconPlus, IconStack2 } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { readHealthOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { isFiltered, type ProjectSearch } from './list-search.ts';

interface NoProjectsProps {
  search: ProjectSearch;
  /** whether there are projects that the filters exclude */
  hasAny: boolean;
  /** why no project can be created; null = one can */
  reason: string | null;
  onCreate: () => void;
  onClear: () => void;
}

/** The empty list: the first step, an empty trash, or filters without a match. */
export function NoProjects({ search, hasAny, reason, onCreate, onClear }: NoProjectsProps) {
  const demo = useQuery({ ...readHealthOptions(), enabled: !hasAny, refetchInterval: 5000 }).data?.demo;
  const { state, ...others } = search;
  if (state === 'deleted' && !isFiltered(others))
    return (
      <EmptyState
        title="The trash is empty"
        action={
          <Button variant="default" onClick={onClear}>
            Back to projects
          </Button>
        }
      >
        Deleted projects stay here for 30 days and can be restored.
      </EmptyState>
    );
  if (hasAny && isFiltered(search))
    return (
      <EmptyState
        title="No projects match"
        action={
          <Button variant="default" onClick={onClear}>
            Clear the filters
          </Button>
        }
      >
        {search.search === undefined
          ? 'No project matches all the filters.'
          : `No name, part or serial number contains “${search.search}”${isFiltered({ ...search, search: undefined }) ? ' within the other filters' : ''}.`}
      </EmptyState>
    );
  return (
    <EmptyState
      icon={<IconStack2 size={32} stroke={1.3} aria-hidden />}
      title="No projects yet"
      action={
        <ActionButton leftSection={<IconPlus size={14} aria-hidden />} reason={reason} onClick={onCreate}>
          New project
        </ActionButton>
      }
    >
      A project holds one scanned part: its volume, its meshes, the analyses and their results. Create one, or
      drop a scan here.
      {demo && (
        <Text role="status" c="dimmed" mt="sm">
          The sample parts of the Demo organization are being scanned: {demo.made} of {demo.parts} are there.
          Each appears in its list when it is ready.
        </Text>
      )}
    </EmptyState>
  );
}
