import { ActionIcon, Tooltip } from '@mantine/core';
import {
  IconBaselineDensityMedium,
  IconBaselineDensitySmall,
  IconPlus,
  IconTrash,
} from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef } from 'react';
import type { Workspace } from '#contract/shapes/organization.ts';
import type { Project } from '#contract/shapes/project.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { useCommands } from '#web/ui/commands.ts';
import { useDensity } from '#web/ui/density.ts';
import { ListPage } from '#web/ui/list-page.tsx';
import { lastWorkspace } from './last-workspace.ts';
import {
  chooseOrdering,
  fitsAddress,
  narrowed,
  type ProjectSearch,
  toQuery,
  withoutFilters,
} from './list-search.ts';
import { NoProjects } from './no-projects.tsx';
import { projectColumns } from './project-columns.tsx';
import { ProjectDialogs } from './project-dialogs.tsx';
import { ProjectFilters } from './project-filters.tsx';
import { anyProjectOptions, projectPageOptions, workspaceOptions } from './queries.ts';
import { isSelected, selectedCount, shownState } from './selection.ts';
import { SelectionBar } from './selection-bar.tsx';
import { useProjectDialogs } from './use-project-dialogs.ts';
import { useProjectSelection } from './use-project-selection.ts';

interface ProjectsPageProps {
  organizationId: string;
  search: ProjectSearch;
  onSearch: (search: ProjectSearch, options?: { replace?: boolean }) => void;
  onOpen: (projectId: string) => void;
  onCompare: (projectIds: string[]) => void;
  /** files dropped on the page, for a new project */
  dropped: readonly File[];
  /** called with the project that receives the dropped files; null = none */
  onDropTaken: (projectId: string | null) => void;
}

const none: Project[] = [];

/** Why no project can be created here; null = one can, or it is not known yet. */
function explainNoCreate(workspaces: Workspace[] | undefined, writableCount: number): string | null {
  if (workspaces === undefined || writableCount > 0) return null;
  return workspaces.length === 0
    ? 'No workspace yet: create one under Organization first'
    : 'You can only view here: ask a manager for the editor role';
}

/** Opens the dialog once if the address requests a new project; `create` is null if none can be created. */
function useNewFromAddress(
  search: ProjectSearch,
  onSearch: ProjectsPageProps['onSearch'],
  isKnown: boolean,
  create: (() => void) | null,
): void {
  const isNew = search.new === true && isKnown;
  useEffect(() => {
    if (!isNew) return;
    onSearch({ ...search, new: undefined }, { replace: true });
    create?.();
  }, [isNew, create, onSearch, search]);
}

interface ColumnsInput {
  workspaces: Workspace[];
  search: ProjectSearch;
  onSearch: (search: ProjectSearch) => void;
  dialogs: Pick<ReturnType<typeof useProjectDialogs>, 'busy' | 'onRowAction'>;
}

const useColumns = ({ workspaces, search, onSearch, dialogs: { busy, onRowAction } }: ColumnsInput) =>
  useMemo(
    () =>
      projectColumns({
        workspaces,
        hidesWorkspace: search.workspace !== undefined,
        busy,
        onTag: (tag) => onSearch(narrowed(search, { tag: [...new Set([...(search.tag ?? []), tag])] })),
        onAction: onRowAction,
      }),
    [workspaces, search, busy, onRowAction, onSearch],
  );

/** The order of the list, for the table header. */
function readSort(search: ProjectSearch) {
  const ordering = chooseOrdering(search);
  return ordering.startsWith('-')
    ? { by: ordering.slice(1), descending: true }
    : { by: ordering, descending: false };
}

/** The default order, newest first, is not written to the address. */
function writeSort({ by, descending }: { by: string; descending: boolean }): string | undefined {
  const ordering = `${descending ? '-' : ''}${by}`;
  return ordering === '-createdAt' ? undefined : ordering;
}

export function ProjectsPage(props: ProjectsPageProps) {
  const { organizationId, search, onOpen } = props;
  const list = useQuery(projectPageOptions(search, organizationId));
  const listedWorkspaces = useQuery(workspaceOptions(organizationId)).data?.results;
  const workspaces = listedWorkspaces ?? [];
  const any = useQuery(anyProjectOptions(organizationId)).data;
  const searchField = useRef<HTMLInputElement>(null);

  const shown = list.data?.results ?? none;
  const total = list.data?.count ?? 0;
  const isTrash = search.state === 'deleted';

  const picks = useProjectSelection({ shown, search, onSearch: props.onSearch });
  const { selection, go: onSearch, clear: onDone } = picks;

  const count = selectedCount(selection, total);
  const dialogs = useProjectDialogs({ organizationId, search, selection, shown, total, onDone });
  const { create } = dialogs;
  const change = (part: Partial<ProjectSearch>) => onSearch(narrowed(search, part));
  const columns = useColumns({ workspaces, search, onSearch, dialogs });
  const writable = workspaces.filter(({ role }) => role === 'editor');
  useNewFromAddress(search, onSearch, workspaces.length > 0, writable.length > 0 ? create : null);
  const tagSuggestions = useMemo(() => [...new Set(shown.flatMap(({ tags }) => tags))].toSorted(), [shown]);
  const whyNoCreate = explainNoCreate(listedWorkspaces, writable.length);

  useCommands([
    { keys: '/', label: 'Search', group: 'Projects', run: () => searchField.current?.focus() },
    { keys: 'n', label: 'New project', group: 'Projects', reason: whyNoCreate, run: create },
  ]);

  return (
    <>
      <ListPage
        title={isTrash ? 'Projects in the trash' : 'Projects'}
        actions={
          <>
            <DensityButton />
            <TrashButton isOpen={isTrash} search={search} onSearch={onSearch} />
            <ActionButton
              leftSection={<IconPlus size={14} aria-hidden />}
              reason={whyNoCreate}
              onClick={create}
            >
              New project
            </ActionButton>
          </>
        }
        list={list}
        search={search}
        onSearch={onSearch}
        question={JSON.stringify(toQuery(search, organizationId))}
        columns={columns}
        isBusy={({ id }) => dialogs.busy.has(id)}
        sort={readSort(search)}
        onSort={(sort) => change({ ordering: writeSort(sort) })}
        selection={{
          isSelected: ({ id }) => isSelected(selection, id),
          onToggle: picks.toggle,
          shown: shownState(selection, shown),
          onToggleShown: picks.toggleShown,
          getName: ({ name }) => name,
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
            reason={whyNoCreate}
            onCreate={create}
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
              onCompare={props.onCompare}
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
      <ProjectDialogs
        dialogs={dialogs}
        organizationId={organizationId}
        workspaces={workspaces}
        workspaceId={search.workspace ?? lastWorkspace(writable, shown)}
        files={props.dropped}
        tagSuggestions={tagSuggestions}
        onDropTaken={props.onDropTaken}
        onCreated={onOpen}
      />
    </>
  );
}

/** Toggles the row density; also offered as a command. */
function DensityButton() {
  const [density, setDensity] = useDensity();
  const isCompact = density === 'compact';
  const other = {
    label: isCompact ? 'Comfortable rows' : 'Compact rows',
    run: () => setDensity(isCompact ? 'comfortable' : 'compact'),
  };
  useCommands([other]);
  return (
    <Tooltip label={other.label}>
      <ActionIcon size={30} aria-label={other.label} onClick={other.run}>
        {isCompact ? <IconBaselineDensityMedium size={16} /> : <IconBaselineDensitySmall size={16} />}
      </ActionIcon>
    </Tooltip>
  );
}

interface TrashButtonProps {
  isOpen: boolean;
  search: ProjectSearch;
  onSearch: (search: ProjectSearch) => void;
}

/** Switches between the projects and the trash. */
const TrashButton = ({ isOpen, search, onSearch }: TrashButtonProps) => (
  <ActionButton
    variant="default"
    leftSection={<IconTrash size={14} aria-hidden />}
    onClick={() =>
      onSearch(isOpen ? withoutFilters(search) : { ...withoutFilters(search), state: 'deleted' })
    }
  >
    {isOpen ? 'Back to projects' : 'Trash'}
  </ActionButton>
);
