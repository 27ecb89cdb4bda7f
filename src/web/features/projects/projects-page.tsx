import { ActionIcon, Tooltip } from '@mantine/core';
import {
  IconBaselineDensityMedium,
  IconBaselineDensitySmall,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { Project } from '#contract/shapes/project.ts';
import { ActionButton } from '../../ui/action-button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { useDensity } from '../../ui/density.ts';
import { ListPage } from '../../ui/list-page.tsx';
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
  const searchField = useRef<HTMLInputElement>(null);

  const shown = list.data?.results ?? none;
  const total = list.data?.count ?? 0;
  const isTrash = search.state === 'deleted';

  const picks = useProjectSelection({ shown, search, onSearch: onAddress });
  const { selection, go: onSearch } = picks;

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
  ]);

  const ordering = orderingOf(search);
  const [isDescending, by] = ordering.startsWith('-') ? [true, ordering.slice(1)] : [false, ordering];

  return (
    <>
      <ListPage
        title={isTrash ? 'Projects in the trash' : 'Projects'}
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
        list={list}
        search={search}
        onSearch={onSearch}
        question={JSON.stringify(queryOf(search, organizationId))}
        columns={columns}
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
          onClear: count > 0 ? picks.clear : undefined,
        }}
        onOpen={isTrash ? undefined : ({ id }) => onOpen(id)}
        keys={[
          {
            keys: 'e',
            label: 'Rename and edit the row',
            run: (project) => dialogs.onRowAction('edit', project),
          },
        ]}
        empty={
          <NoProjects
            search={search}
            hasAny={any === undefined || any.count > 0}
            canCreate={whyNoCreate === null}
            onCreate={dialogs.create}
            onClear={() => onSearch(withoutFilters(search))}
          />
        }
        bar={
          count > 0 && (
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
          )
        }
      >
        <ProjectFilters
          search={search}
          workspaces={workspaces}
          tagSuggestions={tagSuggestions}
          searchRef={searchField}
          onChange={change}
          onClear={(cleared) => onSearch(cleared)}
        />
      </ListPage>
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
    </>
  );
}

const orderingFor = (by: string, descending: boolean): string => (descending ? `-${by}` : by);
