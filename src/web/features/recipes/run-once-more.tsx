import { Button } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconAdjustments, IconRefresh } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { pipeline } from '#contract/analyses/pipeline.ts';
import type { RecipeInvocation } from '#contract/shapes/recipe.ts';
import { listProjectOperationsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { emptyDraft } from './draft.ts';
import { useDryRun, useRunRecipe } from './mutations.ts';

interface RunOnceMoreProps {
  run: RecipeInvocation;
  /** why the user may not; null = they may */
  reason: string | null;
}

/** Repeats the run at once; a pipeline can also be repeated with changes. A recipe is changed in the recipe builder. */
export function RunOnceMore({ run, reason }: RunOnceMoreProps) {
  const { projectId, recipeName, recipePk, recipeVersionId } = run;
  const isPipeline = recipeName === null;
  const navigate = useNavigate();
  const pipelines = useQuery({
    ...listProjectOperationsOptions({
      path: { project_id: projectId },
      query: { operation: pipeline.key, page_size: 200 },
    }),
    enabled: isPipeline,
  });
  // The run and its operation in the project are created in one transaction, so their times are equal.
  const operation = pipelines.data?.results.find(({ createdAt }) => createdAt === run.createdAt);
  const dryRun = useDryRun();
  const recipe = useRunRecipe();
  const started = () => {
    notifications.show({ message: `${recipeName ?? 'Pipeline'} has started`, autoClose: 4_000 });
    void navigate({ to: '/projects/$projectId', params: { projectId }, search: { tab: 'recipes' } });
  };
  const again = () => {
    if (!isPipeline) {
      recipe.mutate({ projectId, recipePk, recipeVersionId }, { onSuccess: started, onError: notifyFailure });
      return;
    }
    const given = pipeline.parameters.safeParse(operation?.parameters);
    if (given.success)
      dryRun.mutate(
        { projectId, draft: { ...emptyDraft, ...given.data } },
        { onSuccess: started, onError: notifyFailure },
      );
  };
  if (isPipeline && !operation) return null;
  return (
    <>
      <ActionButton
        variant="default"
        leftSection={<IconRefresh size={14} aria-hidden />}
        reason={reason}
        loading={dryRun.isPending || recipe.isPending}
        onClick={again}
      >
        Run again
      </ActionButton>
      {operation && (
        <Button
          variant="default"
          leftSection={<IconAdjustments size={14} aria-hidden />}
          renderRoot={(props) => (
            <Link
              to="/projects/$projectId"
              params={{ projectId }}
              search={{ run: pipeline.key, from: operation.id }}
              {...props}
            />
          )}
        >
          Run again with changes…
        </Button>
      )}
    </>
  );
}
