import { Tabs, Text } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconPlayerPlay } from '@tabler/icons-react';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { pipeline } from '#contract/analyses/pipeline.ts';
import { analyses, isAnalysisKind } from '#contract/analyses/registry.ts';
import { formatCount } from '#contract/base/format-number.ts';
import { isUnfinished } from '#contract/base/primitives.ts';
import type { ProjectAction } from '#contract/shapes/project.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { WarningsList } from '#web/ui/warnings-list.tsx';
import { AnalysisDialog } from '../../features/analyses/analysis-dialog.tsx';
import { findResultPage } from '../../features/analyses/kinds/registry.ts';
import { useRunAgain } from '../../features/analyses/mutations.ts';
import { ParameterFields } from '../../features/analyses/parameter-fields.tsx';
import { parameterRows } from '../../features/analyses/parameter-words.ts';
import { BookmarksList } from '../../features/bookmarks/bookmarks-list.tsx';
import { BookmarkSearch, bookmarkPageOptions } from '../../features/bookmarks/queries.ts';
import { DataObjectDetails } from '../../features/data-objects/data-object-details.tsx';
import { DataObjectsTable } from '../../features/data-objects/data-objects-table.tsx';
import type { RunAgain } from '../../features/data-objects/provenance-panel.tsx';
import { makingOptions, projectDataOptions } from '../../features/data-objects/queries.ts';
import { ExportForm } from '../../features/exports/export-form.tsx';
import { ExportsList } from '../../features/exports/exports-list.tsx';
import { useRequestReport } from '../../features/exports/mutations.ts';
import { ReportButton } from '../../features/exports/report-button.tsx';
import { characteristicsOptions } from '../../features/inspection/queries.ts';
import { useFinishToasts } from '../../features/operations/finish-toasts.ts';
import { OperationsList } from '../../features/operations/operations-list.tsx';
import { projectOperationsOptions } from '../../features/operations/queries.ts';
import { lacksReference, reasonAgainst } from '../../features/project/capability.ts';
import { ProjectHeader } from '../../features/project/project-header.tsx';
import { projectOptions } from '../../features/project/queries.ts';
import { PipelineDialog } from '../../features/recipes/pipeline-dialog.tsx';
import { RunDialog } from '../../features/recipes/run-dialog.tsx';
import { RunsList } from '../../features/recipes/runs-list.tsx';
import { PageDropTarget, UploadButton } from '../../features/uploads/drop-files.tsx';
import { toRetryInput } from '../../features/uploads/import-fields.ts';
import { ImportFieldsForm } from '../../features/uploads/import-fields-form.tsx';
import { UploadsPanel } from '../../features/uploads/uploads-panel.tsx';
import { ActionButton } from '../../ui/action-button.tsx';
import { useCommands } from '../../ui/commands.ts';
import { useCrumb } from '../../ui/frame/breadcrumb.tsx';
import { OverviewTab } from './overview-tab.tsx';
import classes from './project-page.module.css';
import { type ProjectPageSearch, type ProjectTab, projectTabs } from './project-search.ts';

interface ProjectPageProps {
  projectId: string;
  search: ProjectPageSearch;
  onSearch: (changes: Partial<ProjectPageSearch>) => void;
  onLeave: () => void;
  onOpenProject: (projectId: string) => void;
  onOpenRun: (runId: string) => void;
}

const outdatedWarning = {
  code: 'OUTDATED',
  message: 'Outdated: a newer result or a newer scan has taken its place. It does not count for the part.',
};

/** One project: its data in the viewer, results, operations and exports. */
export function ProjectPage({
  projectId,
  search,
  onSearch,
  onLeave,
  onOpenProject,
  onOpenRun,
}: ProjectPageProps) {
  const { project } = useSuspenseQuery(projectOptions(projectId)).data;
  const data = useQuery(projectDataOptions(projectId));
  const operations = useQuery(projectOperationsOptions(projectId));
  const earlier = useQuery({ ...makingOptions(search.from ?? ''), enabled: search.from !== undefined });
  useCrumb(project.name);

  const tab: ProjectTab = search.tab ?? 'overview';
  const dataObjects = data.data?.results ?? [];
  const selected =
    dataObjects.find(({ id }) => id === search.data) ??
    dataObjects.find(
      ({ createdByOperation }) => search.operation !== undefined && createdByOperation === search.operation,
    ) ??
    null;
  const unfinished = operations.data?.results.filter(({ status }) => isUnfinished(status));
  const running = unfinished?.length ?? 0;
  /** what was under way when somebody chose what to look at, or came here */
  const runningAtChoice = useRef<ReadonlySet<string>>(undefined);
  const keepLook = () => {
    runningAtChoice.current = new Set(unfinished?.map(({ id }) => id));
  };
  if (runningAtChoice.current === undefined && operations.isSuccess) keepLook();
  const uploadReason = reasonAgainst(project, 'upload');
  const showTab = (next: string | null) =>
    onSearch({
      tab: projectTabs.find((each) => each === next && each !== 'overview'),
      page: undefined,
      search: undefined,
      operation: undefined,
      export: undefined,
    });
  const bookmarks = useQuery(bookmarkPageOptions({}, projectId));
  const showData = (id: string) => {
    keepLook();
    onSearch({ tab: undefined, data: id, bookmark: undefined });
  };
  useFinishToasts(projectId, ({ id, operation, outputDataObjectIds }) => {
    // A new result shows itself, unless somebody has chosen one of another kind since it was asked for.
    const keepsLook =
      selected !== null &&
      runningAtChoice.current?.has(id) === true &&
      selected.kind !== 'volume' &&
      selected.createdByOperation !== null;
    const sameKind = operations.data?.results.some(
      (earlier) => earlier.id === selected?.createdByOperation && earlier.operation === operation,
    );
    const [output] = outputDataObjectIds;
    if (output === undefined || operation === 'ingest' || (keepsLook && !sameKind)) return;
    if (search.bookmark !== undefined) return;
    onSearch({ data: output });
  });
  const report = useRequestReport(projectId);
  const requestReport = () =>
    report.mutate(undefined, {
      onSuccess: () => {
        notifications.show({ message: 'Report requested' });
        showTab('exports');
      },
      onError: notifyFailure,
    });
  /** CAD of another project can be chosen where this one has nothing to compare with. */
  const reasonToRun = (action: ProjectAction) =>
    lacksReference(project, action) ? null : reasonAgainst(project, action);
  const list = { search: BookmarkSearch.parse(search), onSearch };
  const waitsForEarlier = search.from !== undefined && earlier.isPending;
  const runAgain = useRunAgain(projectId);
  const again: RunAgain = {
    now: runAgain.mutate,
    isStarting: runAgain.isPending,
    withChanges: ({ id, operation }) => {
      if (isAnalysisKind(operation)) onSearch({ run: operation, from: id });
    },
    reasonAgainst: (operation) =>
      isAnalysisKind(operation) ? reasonToRun(operation) : 'this version does not know this analysis',
  };
  useCommands([
    {
      keys: 't v',
      label: 'Show the viewer and the results',
      group: 'Project',
      run: () => showTab('overview'),
    },
    { keys: 't d', label: 'Show the data', group: 'Project', run: () => showTab('data') },
    { keys: 't o', label: 'Show the operations', group: 'Project', run: () => showTab('operations') },
    { keys: 't b', label: 'Show the bookmarks', group: 'Project', run: () => showTab('bookmarks') },
    { keys: 't r', label: 'Show the runs of recipes', group: 'Project', run: () => showTab('recipes') },
    { keys: 't e', label: 'Show the exports', group: 'Project', run: () => showTab('exports') },
    ...analyses.map(({ key, title }) => ({
      label: `Run ${title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`,
      reason: reasonAgainst(project, key),
      run: () => onSearch({ run: key }),
    })),
    { label: 'Export the project', reason: null, run: () => showTab('exports') },
  ]);

  const characteristics = useQuery(characteristicsOptions(projectId));
  const outdatedWarnings = (dataObjectId: string) => {
    const judged = characteristics.data?.results.filter((each) => each.dataObjectId === dataObjectId) ?? [];
    return judged.length > 0 && judged.every(({ outdated }) => outdated) ? [outdatedWarning] : [];
  };
  const result = (dataObject: typeof selected, onShowPoint?: (pointMm: [number, number, number]) => void) => {
    const page = dataObject ? findResultPage(dataObject) : undefined;
    return !page || dataObject === null ? null : (
      <>
        <WarningsList warnings={[...dataObject.warnings, ...outdatedWarnings(dataObject.id)]} />
        <page.Result dataObject={dataObject} onShowPoint={onShowPoint} />
      </>
    );
  };

  return (
    <div className={classes.page}>
      <ProjectHeader
        project={project}
        actions={
          <>
            <ReportButton
              reason={reasonAgainst(project, 'export')}
              isRequesting={report.isPending}
              onRequest={requestReport}
            />
            <UploadButton projectId={projectId} reason={uploadReason} />
          </>
        }
        onReport={requestReport}
        onDeleted={onLeave}
        onCopied={(copy) => onOpenProject(copy.id)}
      />
      <UploadsPanel projectId={projectId} mayUpload={uploadReason === null} onShowDataObject={showData} />
      <Tabs value={tab} onChange={showTab} className={classes.tabs} keepMounted={false}>
        <Tabs.List px="md">
          <Tabs.Tab value="overview">Overview</Tabs.Tab>
          <Tabs.Tab value="data" rightSection={<Count value={data.data?.count} />}>
            Data
          </Tabs.Tab>
          <Tabs.Tab
            value="operations"
            rightSection={
              running > 0 ? (
                <Text span size="sm" c="var(--sw-running)">
                  {formatCount(running)} running
                </Text>
              ) : (
                <Count value={operations.data?.count} />
              )
            }
          >
            Operations
          </Tabs.Tab>
          <Tabs.Tab value="recipes">Recipes</Tabs.Tab>
          <Tabs.Tab value="exports">Exports</Tabs.Tab>
          <Tabs.Tab value="bookmarks" rightSection={<Count value={bookmarks.data?.count} />}>
            Bookmarks
          </Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="overview" className={classes.overview}>
          <OverviewTab
            project={project}
            data={data}
            selected={selected}
            result={result}
            bookmarkId={search.bookmark}
            onBookmark={(bookmark) => onSearch({ bookmark })}
            onSelect={(id) => {
              keepLook();
              onSearch({ data: id, bookmark: undefined });
            }}
            characteristicId={search.characteristic}
            onCharacteristic={({ id, dataObjectId }) => {
              keepLook();
              onSearch({ characteristic: id, data: dataObjectId ?? undefined, bookmark: undefined });
            }}
            onRun={(kind) => onSearch({ run: kind, from: undefined })}
            again={again}
            parameterRows={parameterRows}
            onShowOperations={() => showTab('operations')}
            onShowRuns={() => showTab('recipes')}
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
                  project={project}
                  editReason={reasonAgainst(project, 'edit')}
                  dataObject={selected}
                  dataObjects={dataObjects}
                  result={result(selected)}
                  again={again}
                  parameterRows={parameterRows}
                />
              )
            }
          />
        </Tabs.Panel>
        <Tabs.Panel value="operations" className={classes.panel}>
          <OperationsList
            projectId={projectId}
            {...list}
            markedId={search.operation}
            reason={reasonAgainst(project, 'edit')}
            onShowDataObject={showData}
            missingFieldsForm={({ operation, missing, isSending, onSend }) => (
              <ImportFieldsForm
                fileName={
                  typeof operation.parameters.fileName === 'string' ? operation.parameters.fileName : null
                }
                sizeBytes={null}
                missing={missing}
                suggested={{ ...operation.error?.suggested, ...operation.parameters }}
                submitLabel="Read it"
                isSending={isSending}
                onSubmit={(values, asked) => onSend(toRetryInput(asked, values))}
              />
            )}
          />
        </Tabs.Panel>
        <Tabs.Panel value="recipes" className={classes.panel}>
          <RunsList
            projectId={projectId}
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
              <ExportsList {...list} projectId={projectId} markedId={search.export} />
            </div>
            <ExportForm projectId={projectId} reason={reasonAgainst(project, 'export')} />
          </div>
        </Tabs.Panel>
        <Tabs.Panel value="bookmarks" className={classes.list}>
          <BookmarksList {...list} projectId={projectId} />
        </Tabs.Panel>
      </Tabs>
      <AnalysisDialog
        projectId={projectId}
        kind={waitsForEarlier || search.run === pipeline.key ? null : (search.run ?? null)}
        given={search.from === undefined ? undefined : earlier.data?.parameters}
        dataObjects={dataObjects}
        reason={search.run === undefined ? null : reasonToRun(search.run)}
        onClose={() => onSearch({ run: undefined, from: undefined })}
      />
      <PipelineDialog
        projectId={projectId}
        opened={search.run === pipeline.key && !waitsForEarlier}
        given={search.from === undefined ? undefined : earlier.data?.parameters}
        reason={reasonAgainst(project, pipeline.key)}
        parametersForm={(props) => <ParameterFields key={props.kind} {...props} />}
        onClose={() => onSearch({ run: undefined, from: undefined })}
        onStarted={() => onSearch({ run: undefined, from: undefined, tab: 'recipes' })}
      />
      <RunDialog
        organizationId={project.organizationId}
        projectId={projectId}
        opened={search.recipe === 'run'}
        onClose={() => onSearch({ recipe: undefined })}
        onStarted={onOpenRun}
      />
      <PageDropTarget projectId={projectId} reason={uploadReason} />
    </div>
  );
}

function Count({ value }: { value: number | undefined }) {
  return value === undefined ? null : (
    <Text span size="sm" c="dimmed" className="numbers">
      {formatCount(value)}
    </Text>
  );
}
