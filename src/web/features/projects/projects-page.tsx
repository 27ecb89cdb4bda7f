import { ActionIcon, Box, Stack, Tooltip } from '@mantine/core';
import {
  IconBaselineDensityMedium,
  IconBaselineDensitySmall,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { Project } from '#contract/shapes/project.ts';
import { hasCode } from '../../api/errors.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { DataTable } from '../../ui/data-table.tsx';
import { useDensity } from '../../ui/density.ts';
import { formatListCount, ListFoot } from '../../ui/list-foot.tsx';
import { PageHeader } from '../../ui/page-header.tsx';
import { ProblemAlert } from '../../ui/problem-alert.tsx';
import { stepped, useCursor } from '../../ui/use-row-keys.ts';
import { BulkDialog } from './bulk-dialog.tsx';
import { DestinationDialog } from './destination-dialog.tsx';
import {
  fitsAddress,
  narrowed,
  orderingOf,
  type ProjectSearch,
  queryOf,
  withoutFilters,
} from './list-search.ts';
import { NoProjects } from './no-projects.tsx';
import { projectColumns } from './project-columns.tsx';
import { ProjectFilters } from './project-filters.tsx';
import { ProjectFormDialog } from './project-form.tsx';
import classes from './projects-page.module.css';
import { anyProjectOptions, projectPageOptions, workspaceOptions } from './queries.ts';
import { isSelected, selectedCount, shownState } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { TagsDialog } from './tags-dialog.tsx';
import { useProjectDialogs } from './use-project-dialogs.ts';
import { useProjectSelection } from './use-project-selection.ts';

interface ProjectsPageProps {
  organizationId: string;
  search: ProjectSearch;
  onSearch: (search: ProjectSearch, options?: { replace?: boolean }) => void;
  onOpen: (projectId: string) => void;
}

const none: Project[] = [];

export function ProjectsPage({ organizationId, search, onSearch: onAddress, onOpen }: ProjectsPageProps) {
  const list = useQuery(projectPageOptions(search, organizationId));
  const workspaces = useQuery(workspaceOptions(organizationId)).data?.results ?? [];
  const any = useQuery(anyProjectOptions(organizationId)).data;
  const [density, setDensity] = useDensity();
  const { cursor, at: cursorNow, setCursor } = useCursor();
  const searchField = useRef<HTMLInputElement>(null);

  const shown = list.data?.results ?? none;
  const total = list.data?.count ?? 0;
  const page = search.page ?? 1;
  const isTrash = search.state === 'deleted';

  const picks = useProjectSelection({ shown, search, onSearch: onAddress });
  const { selection, go: onSearch } = picks;

  // A page that the list no longer has (things were moved away, an old link) leads to the first.
  const isBeyondLast = page > 1 && hasCode(list.error, 'NOT_FOUND');
  useEffect(() => {
    if (isBeyondLast) onSearch({ ...search, page: undefined }, { replace: true });
  }, [isBeyondLast, onSearch, search]);
  const asked = JSON.stringify(queryOf(search, organizationId));
  // biome-ignore lint/correctness/useExhaustiveDependencies: another question puts the cursor away
  useEffect(() => setCursor(-1), [asked, setCursor]);

  const count = selectedCount(selection, total);
  const dialogs = useProjectDialogs({
    organizationId,
    search,
    selection,
    shown,
    total,
    onDone: picks.clear,
  });

  const isNew = search.new === true && workspaces.length > 0;
  const { create } = dialogs;
  useEffect(() => {
    if (!isNew) return;
    onSearch({ ...search, new: undefined }, { replace: true });
    if (workspaces.some(({ role }) => role === 'editor')) create();
  }, [isNew, create, onSearch, search, workspaces]);

  const change = (part: Partial<ProjectSearch>, replace = false) =>
    onSearch(narrowed(search, part), { replace });
  const columns = useMemo(
    () =>
      projectColumns({
        workspaces,
        hidesWorkspace: search.workspace !== undefined,
        busy: dialogs.busy,
        onTag: (tag) => onSearch(narrowed(search, { tag: [...new Set([...(search.tag ?? []), tag])] })),
        onAction: dialogs.onRowAction,
      }),
    [workspaces, search, dialogs.busy, dialogs.onRowAction, onSearch],
  );
  const tagSuggestions = useMemo(() => [...new Set(shown.flatMap(({ tags }) => tags))].toSorted(), [shown]);
  const writable = workspaces.filter(({ role }) => role === 'editor');
  const whyNoCreate =
    writable.length > 0 || workspaces.length === 0
      ? null
      : 'You may only view here: ask a manager for the role editor';

  const step = (by: number) => setCursor(stepped(cursorNow(), by, shown.length - 1));
  const onCurrent = (act: (project: Project) => void) => () => {
    const current = shown[cursorNow()];
    if (current !== undefined) act(current);
  };
  const otherDensity = {
    label: density === 'compact' ? 'Comfortable rows' : 'Compact rows',
    run: () => setDensity(density === 'compact' ? 'comfortable' : 'compact'),
  };
  useCommands([
    otherDensity,
    { keys: '/', label: 'Search', group: 'Projects', run: () => searchField.current?.focus() },
    {
      keys: 'n',
      label: 'New project',
      group: 'Projects',
      reason: whyNoCreate,
      run: dialogs.create,
    },
    { keys: 'j', label: 'Next row', group: 'Projects', run: () => step(1) },
    { keys: 'k', label: 'Previous row', group: 'Projects', run: () => step(-1) },
    {
      keys: 'x',
      label: 'Select the row',
      group: 'Projects',
      run: onCurrent((project) => picks.toggle(project, false)),
    },
    {
      keys: 'Enter',
      label: 'Open the row',
      group: 'Projects',
      run: onCurrent(({ id }) => !isTrash && onOpen(id)),
    },
    {
      keys: 'e',
      label: 'Rename and edit the row',
      group: 'Projects',
      run: onCurrent((project) => dialogs.onRowAction('edit', project)),
    },
    {
      keys: 'Escape',
      label: 'Clear the selection, then the cursor',
      group: 'Projects',
      run: () => (count > 0 ? picks.clear() : setCursor(-1)),
    },
  ]);

  const ordering = orderingOf(search);
  const [isDescending, by] = ordering.startsWith('-') ? [true, ordering.slice(1)] : [false, ordering];

  return (
    <Stack gap={0} className={classes.page}>
      <div className={classes.head}>
        <PageHeader
          title={isTrash ? 'Projects in the trash' : 'Projects'}
          aside={list.data && formatListCount(list.data)}
          actions={
            <>
              <Tooltip label={otherDensity.label}>
                <ActionIcon size={30} aria-label={otherDensity.label} onClick={otherDensity.run}>
                  {density === 'compact' ? (
                    <IconBaselineDensityMedium size={16} />
                  ) : (
                    <IconBaselineDensitySmall size={16} />
                  )}
                </ActionIcon>
              </Tooltip>
              <ActionButton
                variant="default"
                leftSection={<IconTrash size={14} aria-hidden />}
                onClick={() =>
                  onSearch(isTrash ? withoutFilters(search) : { ...withoutFilters(search), state: 'deleted' })
                }
              >
                {isTrash ? 'Back to the projects' : 'Trash'}
              </ActionButton>
              <ActionButton
                leftSection={<IconPlus size={14} aria-hidden />}
                reason={whyNoCreate}
                onClick={dialogs.create}
              >
                New project
              </ActionButton>
            </>
          }
        />
        <ProjectFilters
          search={search}
          workspaces={workspaces}
          tagSuggestions={tagSuggestions}
          searchRef={searchField}
          onChange={change}
          onClear={(cleared) => onSearch(cleared)}
        />
      </div>
      {list.isError && !isBeyondLast ? (
        <Box p="md" maw={720}>
          <ProblemAlert query={list} />
        </Box>
      ) : (
        <DataTable
          caption={isTrash ? 'Projects in the trash' : 'Projects'}
          columns={columns}
          rows={list.data?.results}
          keyOf={({ id }) => id}
          isStale={list.isPlaceholderData}
          isBusy={({ id }) => dialogs.busy.has(id)}
          sort={{ by, descending: isDescending }}
          onSort={(sort) => {
            const wanted = orderingFor(sort.by, sort.descending);
            change({ ordering: wanted === '-createdAt' ? undefined : wanted });
          }}
          selection={{
            isSelected: ({ id }) => isSelected(selection, id),
            onToggle: picks.toggle,
            shown: shownState(selection, shown),
            onToggleShown: picks.toggleShown,
            nameOf: ({ name }) => name,
          }}
          cursor={cursor}
          onOpen={isTrash ? undefined : (project) => onOpen(project.id)}
          empty={
            <NoProjects
              search={search}
              hasAny={any === undefined || any.count > 0}
              canCreate={whyNoCreate === null}
              onCreate={dialogs.create}
              onClear={() => onSearch(withoutFilters(search))}
            />
          }
        />
      )}
      {count > 0 && (
        <SelectionBar
          count={count}
          total={total}
          isInAddress={fitsAddress(selection)}
          projects={selection.kind === 'items' ? [...selection.items.values()] : null}
          isTrash={isTrash}
          isBusy={dialogs.busy.size > 0}
          onSelectAll={picks.selectAll}
          onClear={picks.clear}
          onAction={dialogs.onBulkAction}
        />
      )}
      {list.data && <ListFoot search={search} onSearch={onSearch} list={list.data} />}
      <ProjectFormDialog
        opened={dialogs.form !== null}
        project={dialogs.form?.project ?? null}
        workspaces={workspaces}
        workspaceId={search.workspace ?? (writable.length === 1 ? writable[0].id : undefined)}
        tagSuggestions={tagSuggestions}
        onClose={dialogs.close}
        onDone={(saved) => {
          const isNew = dialogs.form?.project == null;
          dialogs.close();
          if (isNew) onOpen(saved.id);
        }}
      />
      <DestinationDialog
        question={dialogs.destination}
        workspaces={workspaces}
        onChoose={dialogs.onDestination}
        onClose={dialogs.close}
      />
      <BulkDialog
        question={dialogs.bulk}
        organizationId={organizationId}
        projectIds={dialogs.projectIds}
        onConfirm={dialogs.onBulk}
        onClose={dialogs.close}
      />
      <TagsDialog question={dialogs.tags} onChoose={dialogs.onTags} onClose={dialogs.close} />
    </Stack>
  );
}

const orderingFor = (by: string, descending: boolean): string => (descending ? `-${by}` : by);
