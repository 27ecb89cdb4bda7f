import { Stack } from '@mantine/core';
import { useQuery, useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { readProjectOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { linkClass } from '#web/ui/data-table.tsx';
import { useCrumb } from '#web/ui/frame/breadcrumb.tsx';
import pageClasses from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { runOptions } from './queries.ts';
import classes from './recipes.module.css';
import { RunPanel } from './run-panel.tsx';
import type { ParameterRows } from './run-provenance.tsx';

interface RunPageProps {
  runId: string;
  parameterRows: ParameterRows;
}

/** One run of a recipe, or of an unsaved pipeline, on one project. */
export function RunPage({ runId, parameterRows }: RunPageProps) {
  const { data: run } = useSuspenseQuery(runOptions(runId));
  const project = useQuery(readProjectOptions({ path: { id: run.projectId } }));
  const title = run.recipeName === null ? 'Pipeline' : `${run.recipeName}, version ${run.version}`;
  useCrumb(title);
  const capability = project.data?.capabilities.find(({ action }) => action === 'runRecipe');
  return (
    <Stack gap={0} className={pageClasses.page}>
      <div className={pageClasses.head}>
        <PageHeader
          title={title}
          description={
            <>
              on{' '}
              <Link
                to="/projects/$projectId"
                params={{ projectId: run.projectId }}
                search={{ tab: 'recipes' }}
                className={linkClass}
              >
                {project.data?.name ?? 'its project'}
              </Link>
              , requested <RelativeTime value={run.createdAt} />
              {run.recipeName === null ? '; its verdict is not written to the project' : ''}
            </>
          }
        />
      </div>
      <div className={classes.body}>
        <RunPanel
          runId={runId}
          reason={capability && !capability.allowed ? capability.reason : null}
          parameterRows={parameterRows}
        />
      </div>
    </Stack>
  );
}
