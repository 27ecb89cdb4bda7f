import { useQuery } from '@tanstack/react-query';
import { pipeline } from '#contract/analyses/pipeline.ts';
import type { Project, ProjectAction } from '#contract/shapes/project.ts';
import type { DataObject } from '../../api/generated/types.gen.ts';
import { AnalysisDialog } from '../../features/analyses/analysis-dialog.tsx';
import { ParameterFields } from '../../features/analyses/parameter-fields.tsx';
import { makingOptions } from '../../features/data-objects/queries.ts';
import { reasonAgainst } from '../../features/project/capability.ts';
import { PipelineDialog } from '../../features/recipes/pipeline-dialog.tsx';
import { RunDialog } from '../../features/recipes/run-dialog.tsx';
import type { ProjectPageSearch } from './project-search.ts';

interface RunDialogsProps {
  project: Project;
  dataObjects: readonly DataObject[];
  search: ProjectPageSearch;
  /** why an analysis can't be run now; null = it can */
  reasonToRun: (action: ProjectAction) => string | null;
  onSearch: (changes: Partial<ProjectPageSearch>) => void;
  onOpenRun: (runId: string) => void;
}

/** The forms of an analysis, of a pipeline and of a recipe, as the address asks for one of them. */
export function RunDialogs(props: RunDialogsProps) {
  const { project, dataObjects, search, reasonToRun, onSearch, onOpenRun } = props;
  const earlier = useQuery({ ...makingOptions(search.from ?? ''), enabled: search.from !== undefined });
  const waitsForEarlier = search.from !== undefined && earlier.isPending;
  return (
    <>
      <AnalysisDialog
        projectId={project.id}
        kind={waitsForEarlier || search.run === pipeline.key ? null : (search.run ?? null)}
        given={search.from === undefined ? undefined : earlier.data?.parameters}
        dataObjects={dataObjects}
        reason={search.run === undefined ? null : reasonToRun(search.run)}
        onClose={() => onSearch({ run: undefined, from: undefined })}
      />
      <PipelineDialog
        projectId={project.id}
        opened={search.run === pipeline.key && !waitsForEarlier}
        given={search.from === undefined ? undefined : earlier.data?.parameters}
        reason={reasonAgainst(project, pipeline.key)}
        parametersForm={(props) => <ParameterFields key={props.kind} {...props} />}
        onClose={() => onSearch({ run: undefined, from: undefined })}
        onStarted={() => onSearch({ run: undefined, from: undefined, tab: 'recipes' })}
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
