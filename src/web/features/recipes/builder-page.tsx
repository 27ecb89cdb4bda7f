import { Button, Group, Menu, Stack, Text, Textarea, TextInput, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconFlask, IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useMemo, useState } from 'react';
import { analysisFacts, implementedAnalyses } from '#contract/analyses/kinds.ts';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { RecipeVersionInput } from '#contract/shapes/recipe.ts';
import { explain } from '#web/api/errors.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { addStep, changeStep, type Draft, moveStep, problemsAt, problemsOf, removeStep } from './draft.ts';
import { Flow } from './flow.tsx';
import { GatesEditor } from './gates-editor.tsx';
import { useCreateVersion, useDryRun } from './mutations.ts';
import { ProjectSelect } from './project-select.tsx';
import { projectRunsOptions } from './queries.ts';
import classes from './recipes.module.css';
import { RunPanel } from './run-panel.tsx';
import { StepCard } from './step-card.tsx';

export interface ParametersFormProps {
  kind: RecipeStep['operation'];
  parameters: Record<string, unknown>;
  onChange: (parameters: Record<string, unknown>) => void;
}

interface BuilderPageProps {
  organizationId: string;
  /** why the caller can't write recipes; null = he can */
  writeReason: string | null;
  /** what is revised, or an empty draft */
  start: Draft;
  /** the form of one step's parameters; of another feature */
  parametersForm: (props: ParametersFormProps) => ReactNode;
  onReleased: (recipePk: string) => void;
  onCancel: () => void;
}

/** A recipe being written: steps, limits, a dry run on a part, and its release as a version that stays. */
export function BuilderPage({
  organizationId,
  writeReason,
  start,
  parametersForm,
  onReleased,
  onCancel,
}: BuilderPageProps) {
  const [draft, setDraft] = useState(start);
  // A step keeps its form open while its name is typed.
  const [ids, setIds] = useState(() => start.steps.map(() => crypto.randomUUID()));
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const release = useCreateVersion(organizationId);
  const problems = useMemo(() => problemsOf(draft), [draft]);
  // A name that is still missing is no mistake in the steps.
  const inSteps = problems.filter(({ path }) => path.startsWith('steps.') || path.startsWith('gates.'));
  const whole = problems.filter(({ path }) => path === 'steps' && draft.steps.length > 0);
  const reason =
    writeReason !== null
      ? writeReason
      : draft.steps.length === 0
        ? 'Add a step first'
        : draft.name.trim() === ''
          ? 'Give it a name first'
          : (inSteps[0]?.message ?? whole[0]?.message ?? problems[0]?.message ?? null);
  const toggle = (id: string) =>
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const swap = (index: number, by: -1 | 1) => {
    const to = index + by;
    if (to < 0 || to >= ids.length) return;
    setIds((before) => {
      const next = [...before];
      [next[index], next[to]] = [next[to], next[index]];
      return next;
    });
    setDraft(moveStep(draft, index, by));
  };
  const submit = () =>
    release.mutate(RecipeVersionInput.parse(draft), {
      onSuccess: ({ name, version, recipePk }) => {
        notifications.show({ message: `${name}: version ${version} is released`, autoClose: 5_000 });
        onReleased(recipePk);
      },
    });

  return (
    <Stack gap={0} className={classes.page}>
      <div className={classes.head}>
        <PageHeader
          title={draft.recipePk === undefined ? 'New recipe' : `Revise ${start.name}`}
          actions={
            <>
              <Button variant="default" onClick={onCancel}>
                Cancel
              </Button>
              <ActionButton reason={reason} loading={release.isPending} onClick={submit}>
                Release {draft.recipePk === undefined ? 'version 1' : 'the next version'}
              </ActionButton>
            </>
          }
        />
      </div>
      <div className={classes.body}>
        <Stack gap="lg">
          {release.error && <ProblemAlert {...explain(release.error)} />}
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
                  label="What it is for"
                  value={draft.description}
                  onChange={(event) => setDraft({ ...draft, description: event.currentTarget.value })}
                  autosize
                  minRows={1}
                  maxRows={4}
                />
              </Group>
              <Group justify="space-between">
                <Title order={2} size="h3">
                  Steps
                </Title>
                <Menu position="bottom-end">
                  <Menu.Target>
                    <Button variant="default" leftSection={<IconPlus size={14} aria-hidden />}>
                      Add step
                    </Button>
                  </Menu.Target>
                  <Menu.Dropdown>
                    {implementedAnalyses.map((kind) => (
                      <Menu.Item
                        key={kind}
                        onClick={() => {
                          const id = crypto.randomUUID();
                          setDraft(addStep(draft, kind));
                          setIds([...ids, id]);
                          setOpened(new Set([...opened, id]));
                        }}
                      >
                        {analysisFacts[kind].title}
                        <Text size="sm" c="dimmed">
                          {analysisFacts[kind].purpose}
                        </Text>
                      </Menu.Item>
                    ))}
                  </Menu.Dropdown>
                </Menu>
              </Group>
              {draft.steps.length === 0 && (
                <Text c="dimmed" className="measure">
                  A step is one analysis with its parameters. Steps that don’t wait for each other run side by
                  side; one that runs after others takes their results where they fit.
                </Text>
              )}
              {whole.map(({ message }) => (
                <ProblemAlert key={message} detail={message} />
              ))}
              {draft.steps.map((step, index) => (
                <StepCard
                  key={ids[index]}
                  step={step}
                  others={draft.steps.filter((_, at) => at !== index).map(({ key }) => key)}
                  problems={problemsAt(problems, `steps.${index}`)}
                  isOpen={opened.has(ids[index])}
                  isFirst={index === 0}
                  isLast={index === draft.steps.length - 1}
                  parameters={parametersForm({
                    kind: step.operation,
                    parameters: step.parameters,
                    onChange: (parameters) => setDraft((before) => changeStep(before, index, { parameters })),
                  })}
                  onToggle={() => toggle(ids[index])}
                  onChange={(changes) => setDraft(changeStep(draft, index, changes))}
                  onMove={(by) => swap(index, by)}
                  onRemove={() => {
                    setDraft(removeStep(draft, index));
                    setIds(ids.filter((_, at) => at !== index));
                  }}
                />
              ))}
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
            reason={
              draft.steps.length === 0
                ? 'Add a step first'
                : (inSteps[0]?.message ?? whole[0]?.message ?? null)
            }
          />
        </Stack>
      </div>
    </Stack>
  );
}

/** The draft as it stands on one part, before anybody relies on it; nothing of it is saved but the results. */
function DryRun({
  organizationId,
  draft,
  reason,
}: {
  organizationId: string;
  draft: Draft;
  reason: string | null;
}) {
  const [projectId, setProjectId] = useState<string | null>(null);
  const dryRun = useDryRun();
  const started = dryRun.data;
  const runs = useQuery({
    ...projectRunsOptions(started?.projectId ?? ''),
    enabled: started !== undefined,
  });
  // The operation that stands for a pipeline is asked for in the same moment as its run.
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
          Try the draft on a part that you know before you release it. The project keeps the results; its
          verdict stays as it is.
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
        {dryRun.error && <ProblemAlert {...explain(dryRun.error)} />}
        {run && <RunPanel runId={run.id} reason={null} />}
      </Stack>
    </section>
  );
}
