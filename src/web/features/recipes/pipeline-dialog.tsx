import { Button, Group, Modal, Stack, Text, Title } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useMemo, useState } from 'react';
import { pipeline } from '#contract/analyses/pipeline.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { emptyDraft, findProblems } from './draft.ts';
import { GatesEditor } from './gates-editor.tsx';
import { useDryRun } from './mutations.ts';
import { type ParametersForm, StepsEditor } from './steps-editor.tsx';

interface PipelineDialogProps {
  projectId: string;
  opened: boolean;
  /** parameters of an earlier pipeline */
  given: Record<string, unknown> | undefined;
  /** why it can't be run now; null = it can */
  reason: string | null;
  parametersForm: ParametersForm;
  onClose: () => void;
  onStarted: () => void;
}

/** Runs several analyses in a given order without saving them as a recipe. */
export function PipelineDialog({ opened, onClose, ...form }: PipelineDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={pipeline.title} size="xl">
      {opened && <PipelineForm onClose={onClose} {...form} />}
    </Modal>
  );
}

function PipelineForm(props: Omit<PipelineDialogProps, 'opened'>) {
  const { projectId, given, parametersForm, onClose, onStarted } = props;
  const [draft, setDraft] = useState(() => {
    const earlier = pipeline.parameters.safeParse(given);
    return { ...emptyDraft, ...earlier.data };
  });
  const run = useDryRun();
  // A pipeline has no name, so a missing one is no problem.
  const problems = useMemo(() => findProblems({ ...draft, name: pipeline.title }), [draft]);
  const reason =
    props.reason ?? (draft.steps.length === 0 ? 'Add a step first' : (problems[0]?.message ?? null));
  const start = () =>
    run.mutate(
      { projectId, draft },
      {
        onSuccess: () => {
          notifications.show({ message: 'Pipeline started', autoClose: 4_000 });
          onStarted();
        },
      },
    );
  return (
    <Stack gap="md">
      <Text c="dimmed" className="measure">
        Runs several analyses on this project once. Save what you run often as a recipe: its verdict becomes
        the project’s.
      </Text>
      {props.reason !== null && <ProblemAlert title="This can’t be run now" detail={props.reason} />}
      <ProblemAlert error={run.error} />
      <StepsEditor draft={draft} problems={problems} parametersForm={parametersForm} onChange={setDraft} />
      <Title order={2} size="h3">
        Gates
      </Title>
      <GatesEditor draft={draft} problems={problems} onChange={setDraft} />
      <Group justify="flex-end" gap="xs">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <ActionButton data-sends reason={reason} loading={run.isPending} onClick={start}>
          Start pipeline
        </ActionButton>
      </Group>
    </Stack>
  );
}
