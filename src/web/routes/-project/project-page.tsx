import { Tabs } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import type { ComponentProps } from 'react';
import { isAnalysisKind } from '#contract/analyses/registry.ts';
import type { Project, ProjectAction } from '#contract/shapes/project.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { findResultPage } from '#web/features/analyses/kinds/registry.ts';
import { useRunAgain } from '#web/features/analyses/mutations.ts';
import { parameterRows } from '#web/features/analyses/parameter-words.ts';
import { BookmarksList } from '#web/features/bookmarks/bookmarks-list.tsx';
import { BookmarkSearch, bookmarkPageOptions } from '#web/features/bookmarks/queries.ts';
import { DataObjectDetails } from '#web/features/data-objects/data-object-details.tsx';
import { DataObjectsTable } from '#web/features/data-objects/data-objects-table.tsx';
import type { RunAgain } from '#web/features/data-objects/provenance-panel.tsx';
import { projectDataOptions } from '#web/features/data-objects/queries.ts';
import { ExportForm } from '#web/features/exports/export-form.tsx';
import { ExportsList } from '#web/features/exports/exports-list.tsx';
import { useRequestReport } from '#web/features/exports/mutations.ts';
import { ReportButton } from '#web/features/exports/report-button.tsx';
import { characteristicsOptions } from '#web/features/inspection/queries.ts';
import { OperationsList } from '#web/features/operations/operations-list.tsx';
import { projectOperationsOptions } from '#web/features/operations/queries.ts';
import { lacksReference, reasonAgainst } from '#web/features/projects/capability.ts';
import { ProjectHeader } from '#web/features/projects/project-header.tsx';
import { projectOptions } from '#web/features/projects/queries.ts';
import { RunsList } from '#web/features/recipes/runs-list.tsx';
import { UploadButton } from '#web/features/uploads/drop-files.tsx';
import { toRetryInput } from '#web/features/uploads/import-fields.ts';
import { ImportFieldsForm } from '#web/features/uploads/import-fields-form.tsx';
import { PageDropTarget } from '#web/features/uploads/page-drop-target.tsx';
import { uploadQueue } from '#web/features/uploads/upload-queue.ts';
import { UploadsPanel } from '#web/features/uploads/uploads-panel.tsx';
import { ActionButton } from '#web/ui/action-button.tsx';
import { useCrumb } from '#web/ui/frame/breadcrumb.tsx';
import { WarningsList } from '#web/ui/warnings-list.tsx';
import { OverviewTab, type OverviewTabProps } from './overview-tab.tsx';
import classes from './project-page.module.css';
import { noForm, type ProjectPageSearch, projectTabs } from './project-search.ts';
import { ProjectTabList } from './project-tab-list.tsx';
import { RunDialogs, useRunForm } from './run-dialogs.tsx';
import { useProjectCommands } from './use-project-commands.ts';
import { useShownData } from './use-shown-data.ts';

interface ProjectPageProps {
  projectId: string;
  search: ProjectPageSearch;
  onSearch: (changes: Partial<ProjectPageSearch>) => void;
  onLeave: () => void;
  onOpenProject: (projectId: string) => void;
  onOpenRun: (runId: string) => void;
  onCompare: () => void;
}

/** Search parameters that are reset when the tab changes. */
const elsewhere = {
  page: undefined,
  search: undefined,
  operation: undefined,
  export: undefined,
  ...noForm,
};

const outdatedWarning = {
  code: 'OUTDATED',
  message: 'Outdated: a newer result or scan has replaced it. It no longer counts for the part.',
};

/** Warns about a result if all of its characteristics are outdated. */
function useOutdatedWarnings(projectId: string) {
  const characteristics = useQuery(characteristicsOptions(projectId));
  return (dataObjectId: string) => {
    const judged = characteristics.data?.results.filter((each) => each.dataObjectId === dataObjectId) ?? [];
    return judged.length > 0 && judged.every(({ outdated }) => outdated) ? [outdatedWarning] : [];
  };
}

function useAgain(
  projectId: string,
  reasonToRun: (action: ProjectAction) => string | null,
  onSearch: ProjectPageProps['onSearch'],
): RunAgain {
  const runAgain = useRunAgain(projectId);
  return {
    now: runAgain.mutate,
    isStarting: runAgain.isPending,
    withChanges: ({ id, operation }) => {
      if (isAnalysisKind(operation)) onSearch({ ...noForm, run: operation, from: id });
    },
    reasonAgainst: (operation) =>
      isAnalysisKind(operation) ? reasonToRun(operation) : 'this version does not know this analysis',
  };
}

function useReport(projectId: string, onRequested: () => void) {
  const { mutate, isPending } = useRequestReport(projectId);
  const onSuccess = () => {
    notifications.show({ message: 'Report requested' });
    onRequested();
  };
  return { isRequesting: isPending, request: () => mutate(undefined, { onSuccess, onError: notifyFailure }) };
}

const showMissingFields: ComponentProps<typeof OperationsList>['missingFieldsForm'] = ({
  operation,
  missing,
  isSending,
  onSend,
}) => (
  <ImportFieldsForm
    fileName={typeof operation.parameters.fileName === 'string' ? operation.parameters.fileName : null}
    sizeBytes={null}
    missing={missing}
    suggested={{ ...operation.error?.suggested, ...operation.parameters }}
    submitLabel="Import"
    isSending={isSending}
    onSubmit={(values, asked) => onSend(toRetryInput(asked, values))}
  />
);

/** Props shared by the lists of the project. */
interface ListsProps extends Pick<ProjectPageProps, 'search' | 'onSearch' | 'onOpenRun'> {
  project: Project;
  /** shows a data object of the project in the viewer */
  showData: (dataObjectId: string) => void;
}

/** Operations, recipe runs, exports and bookmarks of the project, each in its tab. */
function ListPanels({ project, search, onSearch, onOpenRun, showData }: ListsProps) {
  const list = { projectId: project.id, search: BookmarkSearch.parse(search), onSearch };
  return (
    <>
      <Tabs.Panel value="operations" className={classes.panel}>
        <OperationsList
          {...list}
          markedId={search.operation}
          reason={reasonAgainst(project, 'edit')}
          onShowDataObject={showData}
          missingFieldsForm={showMissingFields}
        />
      </Tabs.Panel>
      <Tabs.Panel value="recipes" className={classes.panel}>
        <RunsList
          {...list}
          onOpen={onOpenRun}
          action={
            <ActionButton
              leftSection={<IconPlayerPlay size={14} aria-hidden />}
              reason={reasonAgainst(project, 'runRecipe')}
              onClick={() => onSearch({ recipe: 'run' })}
            >
              Run a recipe
            </ActionButton>
          }
        />
      </Tabs.Panel>
      <Tabs.Panel value="exports" className={classes.panel}>
        <div className={classes.exports}>
          <div>
            <ExportsList {...list} markedId={search.export} />
          </div>
          <ExportForm projectId={project.id} reason={reasonAgainst(project, 'export')} />
        </div>
      </Tabs.Panel>
      <Tabs.Panel value="bookmarks" className={classes.list}>
        <BookmarksList {...list} />
      </Tabs.Panel>
    </>
  );
}

/** The page of one project: its data in the viewer, results, operations and exports. */
export function ProjectPage(props: ProjectPageProps) {
  const { projectId, search, onSearch, onOpenProject, onOpenRun } = props;
  const { project } = useSuspenseQuery(projectOptions(projectId)).data;
  const data = useQuery(projectDataOptions(projectId));
  const operations = useQuery(projectOperationsOptions(projectId));
  const bookmarks = useQuery(bookmarkPageOptions({}, projectId));
  useCrumb(project.name);

  const dataObjects = data.data?.results ?? [];
  const { selected, unfinished, keepLook } = useShownData(projectId, search, (id) => onSearch({ data: id }));
  const editReason = reasonAgainst(project, 'edit');
  const uploadReason = reasonAgainst(project, 'upload');
  const showTab = (next: string | null) =>
    onSearch({
      ...elsewhere,
      tab: projectTabs.find((each) => each === next && each !== 'overview'),
    });
  const showData = (id: string) => {
    keepLook();
    onSearch({ tab: undefined, data: id, bookmark: undefined });
  };
  const report = useReport(projectId, () => showTab('exports'));
  /** If this project has no reference, the form offers data of other projects. */
  const reasonToRun = (action: ProjectAction) =>
    lacksReference(project, action) ? null : reasonAgainst(project, action);
  const again = useAgain(projectId, reasonToRun, onSearch);
  useProjectCommands(project, showTab, (key) => onSearch({ ...noForm, run: key }));

  const { form, plan } = useRunForm({
    ...{ project, search, reasonToRun, onSearch },
    dataObjects: data.data?.results,
  });
  const outdatedWarnings = useOutdatedWarnings(projectId);
  const result: OverviewTabProps['result'] = (dataObject, onShowPoint) => {
    const page = findResultPage(dataObject);
    return page ? (
      <>
        <WarningsList warnings={[...dataObject.warnings, ...outdatedWarnings(dataObject.id)]} />
        <page.Result dataObject={dataObject} onShowPoint={onShowPoint} />
      </>
    ) : null;
  };

  const tab = form ? 'overview' : (search.tab ?? 'overview');
  return (
    <div className={classes.page}>
      <ProjectHeader
        project={project}
        actions={
          <>
            <ReportButton
              reason={reasonAgainst(project, 'export')}
              isRequesting={report.isRequesting}
              onRequest={report.request}
            />
            <UploadButton projectId={projectId} reason={uploadReason} />
          </>
        }
        onReport={report.request}
        onCompare={props.onCompare}
        onDeleted={props.onLeave}
        onCopied={(copy) => onOpenProject(copy.id)}
      />
      <UploadsPanel projectId={projectId} mayUpload={uploadReason === null} onShowDataObject={showData} />
      <Tabs value={tab} onChange={showTab} className={classes.tabs} keepMounted={false}>
        <ProjectTabList
          tab={tab}
          running={unfinished?.length ?? 0}
          counts={{
            data: data.data?.count,
            operations: operations.data?.count,
            bookmarks: bookmarks.data?.count,
          }}
        />
        <Tabs.Panel value="overview" className={classes.overview}>
          <OverviewTab
            {...{ project, data, selected, keepLook, result, form, plan, search, onSearch, again, showTab }}
          />
        </Tabs.Panel>
        <Tabs.Panel value="data" className={classes.panel}>
          <DataObjectsTable
            projectId={projectId}
            selectedId={selected?.id ?? null}
            onSelect={(id) => {
              keepLook();
              onSearch({ data: id });
            }}
            details={
              selected && (
                <DataObjectDetails
                  key={selected.id}
                  {...{ project, editReason, dataObjects, again, parameterRows }}
                  dataObject={selected}
                  result={result(selected)}
                />
              )
            }
          />
        </Tabs.Panel>
        <ListPanels {...{ project, search, onSearch, onOpenRun, showData }} />
      </Tabs>
      <RunDialogs project={project} search={search} onSearch={onSearch} onOpenRun={onOpenRun} />
      <PageDropTarget
        reason={uploadReason}
        words="Drop to upload into this project"
        onFiles={(files) => uploadQueue().add(projectId, files)}
      />
    </div>
  );
}
