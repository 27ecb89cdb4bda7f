import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { pipeline } from '#contract/analyses/pipeline.ts';
import type { Project, ProjectAction } from '#contract/shapes/project.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { AnalysisSettings } from '#web/features/analyses/analysis-settings.tsx';
import type { FormPlan } from '#web/features/analyses/form-plan.ts';
import { ParameterFields } from '#web/features/analyses/parameter-fields.tsx';
import { makingOptions } from '#web/features/data-objects/queries.ts';
import { reasonAgainst } from '#web/features/projects/capability.ts';
import { PipelineDialog } from '#web/features/recipes/pipeline-dialog.tsx';
import { RunDialog } from '#web/features/recipes/run-dialog.tsx';
import { noForm, type ProjectPageSearch } from './project-search.ts';

interface RunDialogsProps {
  project: Project;
  search: ProjectPageSearch;
  onSearch: (changes: Partial<ProjectPageSearch>) => void;
  onOpenRun: (runId: string) => void;
}

/** Values that prefill the form: the parameters of an earlier operation, or the data of a comparison. */
function useGivenParameters({ from, source, reference }: ProjectPageSearch) {
  const earlier = useQuery({ ...makingOptions(from ?? ''), enabled: from !== undefined });
  const chosen =
    reference === undefined
      ? undefined
      : {
          ...(source === undefined ? {} : { sourceDataObjectId: source }),
          referenceDataObjectId: reference,
        };
  return {
    waits: from !== undefined && earlier.isPending,
    given: from === undefined ? chosen : earlier.data?.parameters,
  };
}

interface RunFormProps extends Omit<RunDialogsProps, 'onOpenRun'> {
  /** undefined while loading */
  dataObjects: readonly DataObject[] | undefined;
  /** why an analysis can't be run now; null = it can */
  reasonToRun: (action: ProjectAction) => string | null;
}

/**
 * The form of the analysis named in the address, shown beside the viewer whichever tab opened it (null if none is
 * open), and what the slices show of it.
 */
export function useRunForm({ project, search, onSearch, dataObjects, reasonToRun }: RunFormProps): {
  form: ReactNode | null;
  plan: FormPlan | null;
} {
  const [plan, setPlan] = useState<FormPlan | null>(null);
  const { waits, given } = useGivenParameters(search);
  const { run: kind } = search;
  if (kind === undefined || kind === pipeline.key || waits || !dataObjects) return { form: null, plan: null };
  const form = (
    <AnalysisSettings
      key={`${kind} ${search.from} ${search.source} ${search.reference}`}
      projectId={project.id}
      kind={kind}
      given={given}
      dataObjects={dataObjects}
      reason={reasonToRun(kind)}
      onPlan={setPlan}
      onClose={() => onSearch(noForm)}
    />
  );
  return { form, plan };
}

/** The dialogs for running a pipeline or a recipe, as requested in the address. */
export function RunDialogs(props: RunDialogsProps) {
  const { project, search, onSearch, onOpenRun } = props;
  const { waits, given } = useGivenParameters(search);
  return (
    <>
      <PipelineDialog
        projectId={project.id}
        opened={search.run === pipeline.key && !waits}
        given={given}
        reason={reasonAgainst(project, pipeline.key)}
        parametersForm={(props) => <ParameterFields key={props.kind} {...props} />}
        onClose={() => onSearch(noForm)}
        onStarted={() => onSearch({ ...noForm, tab: 'recipes' })}
      />
      <RunDialog
        organizationId={project.organizationId}
        projectId={project.id}
        opened={search.recipe === 'run'}
        onClose={() => onSearch({ recipe: undefined })}
        onStarted={onOpenRun}
      />
    </>
  );
}
