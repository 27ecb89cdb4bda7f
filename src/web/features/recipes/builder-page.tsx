import { Button, Group, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconFlask } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useMemo, useState } from 'react';
import { RecipeVersionInput } from '#contract/shapes/recipe.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import pageClasses from '#web/ui/page.module.css';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { type Draft, findProblems } from './draft.ts';
import { Flow } from './flow.tsx';
import { GatesEditor } from './gates-editor.tsx';
import { useCreateVersion, useDryRun } from './mutations.ts';
import { ProjectSelect } from './project-select.tsx';
import { projectRunsOptions } from './queries.ts';
import classes from './recipes.module.css';
import { RunPanel } from './run-panel.tsx';
import type { ParameterRows } from './run-provenance.tsx';
import { type ParametersForm, StepsEditor } from './steps-editor.tsx';

interface BuilderPageProps {
  organizationId: string;
  /** why the user can't write recipes; null = they can */
  writeReason: string | null;
  /** why the user can't release the recipe; null = they can */
  releaseReason: string | null;
  /** the recipe to revise, or an empty draft */
  start: Draft;
  /** the form of a step's parameters, from another feature */
  parametersForm: ParametersForm;
  parameterRows: ParameterRows;
  onSaved: (recipePk: string) => void;
  onCancel: () => void;
}

/** The recipe builder: steps, gates, a dry run on a part, and the release as an immutable version. */
export function BuilderPage({
  organizationId,
  writeReason,
  releaseReason,
  start,
  parametersForm,
  parameterRows,
  onSaved,
  onCancel,
}: BuilderPageProps) {
  const [draft, setDraft] = useState(start);
  const release = useCreateVersion(organizationId);
  const problems = useMemo(() => findProblems(draft), [draft]);
  // A missing name is not an error in the steps.
  const inSteps = problems.filter(({ path }) => path.startsWith('steps.') || path.startsWith('gates.'));
  const whole = problems.filter(({ path }) => path === 'steps' && draft.steps.length > 0);
  const reasonToTry =
    draft.steps.length === 0 ? 'Add a step first' : ([...inSteps, ...whole][0]?.message ?? null);
  const unnamed = draft.name.trim() === '' ? 'Give it a name first' : null;
  const reason =
    writeReason ??
    (draft.steps.length === 0 ? reasonToTry : unnamed) ??
    reasonToTry ??
    problems[0]?.message ??
    null;
  const save = (isDraft: boolean) =>
    release.mutate(RecipeVersionInput.parse({ ...draft, draft: isDraft }), {
      onSuccess: ({ name, version, status, recipePk }) => {
        const what = status === 'released' ? 'is released' : 'is saved as a draft';
        notifications.show({ message: `${name}: version ${version} ${what}`, autoClose: 5_000 });
        onSaved(recipePk);
      },
    });

  return (
    <Stack gap={0} className={pageClasses.page}>
      <div className={pageClasses.head}>
        <PageHeader
          title={draft.recipePk === undefined ? 'New recipe' : `Revise ${start.name}`}
          actions={
            <>
              <Button variant="default" onClick={onCancel}>
                Cancel
              </Button>
              <ActionButton
                variant="default"
                reason={reason}
                loading={release.isPending}
                onClick={() => save(true)}
              >
                Save draft
              </ActionButton>
              <ActionButton
                reason={writeReason ?? releaseReason ?? reason}
                loading={release.isPending}
                onClick={() => save(false)}
              >
                Release {draft.recipePk === undefined ? 'version 1' : 'the next version'}
              </ActionButton>
            </>
          }
        />
      </div>
      <div className={classes.body}>
        <Stack gap="lg">
          <ProblemAlert error={release.error} />
          <div className={classes.columns}>
            <Stack gap="md">
              <Group gap="sm" align="flex-start" grow>
                <TextInput
                  label="Name"
                  value={draft.name}
                  onChange={(event) => setDraft({ ...draft, name: event.currentTarget.value })}
                  withAsterisk
                  maxLength={200}
                />
                <Textarea
                  label="Description"
                  value={draft.description}
                  onChange={(event) => setDraft({ ...draft, description: event.currentTarget.value })}
                  autosize
                  minRows={1}
                  maxRows={4}
                />
              </Group>
              <StepsEditor
                draft={draft}
                problems={problems}
                parametersForm={parametersForm}
                onChange={setDraft}
              />
            </Stack>
            <Stack gap="md">
              <Title order={2} size="h3">
                Gates
              </Title>
              <GatesEditor draft={draft} problems={problems} onChange={setDraft} />
              {draft.steps.length > 0 && (
                <>
                  <Title order={2} size="h3">
                    Order
                  </Title>
                  <Flow steps={draft.steps} />
                </>
              )}
            </Stack>
          </div>
          <DryRun
            organizationId={organizationId}
            draft={draft}
            reason={reasonToTry}
            parameterRows={parameterRows}
          />
        </Stack>
      </div>
    </Stack>
  );
}

/** Runs the current draft on one part before it is released; only the results are saved. */
function DryRun({
  organizationId,
  draft,
  reason,
  parameterRows,
}: {
  organizationId: string;
  draft: Draft;
  reason: string | null;
  parameterRows: ParameterRows;
}) {
  const [projectId, setProjectId] = useState<string | null>(null);
  const dryRun = useDryRun();
  const started = dryRun.data;
  const runs = useQuery({
    ...projectRunsOptions(started?.projectId ?? ''),
    enabled: started !== undefined,
  });
  // The operation of a pipeline is created at the same time as its run.
  const run = runs.data?.results.find(
    ({ recipeName, createdAt }) =>
      recipeName === null && started !== undefined && createdAt === started.createdAt,
  );
  return (
    <section aria-labelledby="dry-run">
      <Stack gap="sm">
        <Title order={2} size="h3" id="dry-run">
          Dry run
        </Title>
        <Text c="dimmed" className="measure">
          Try the draft on a known part before you release it. The project keeps the results; its verdict
          stays as it is.
        </Text>
        <Group align="flex-end" gap="sm" maw={620}>
          <ProjectSelect
            organizationId={organizationId}
            label="On the project"
            value={projectId}
            onChange={setProjectId}
          />
          <ActionButton
            variant="default"
            leftSection={<IconFlask size={14} aria-hidden />}
            reason={reason ?? (projectId === null ? 'Choose a project first' : null)}
            loading={dryRun.isPending}
            onClick={() => projectId !== null && dryRun.mutate({ projectId, draft })}
          >
            Dry run
          </ActionButton>
        </Group>
        <ProblemAlert error={dryRun.error} />
        {run && <RunPanel runId={run.id} reason={null} parameterRows={parameterRows} />}
      </Stack>
    </section>
  );
}
