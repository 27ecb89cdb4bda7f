import { Button, Group, Text, Title } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { stepAnalyses } from '#contract/analyses/steps.ts';
import { ActionMenu } from '#web/ui/action-menu.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import {
  addStep,
  changeStep,
  type Draft,
  type DraftProblem,
  moveStep,
  problemsAt,
  removeStep,
  swapItems,
} from './draft.ts';
import { StepCard } from './step-card.tsx';

interface ParametersFormProps {
  kind: RecipeStep['operation'];
  parameters: Record<string, unknown>;
  onChange: (parameters: Record<string, unknown>) => void;
}
/** The form of a step's parameters, from another feature. */
export type ParametersForm = (props: ParametersFormProps) => ReactNode;

interface StepsEditorProps {
  draft: Draft;
  problems: readonly DraftProblem[];
  parametersForm: ParametersForm;
  onChange: (change: Draft | ((before: Draft) => Draft)) => void;
}

/** Edits the steps of a draft: add, fill in, reorder, connect and remove. */
export function StepsEditor({ draft, problems, parametersForm, onChange }: StepsEditorProps) {
  // Stable ids keep a step's form open while its name is edited.
  const [ids, setIds] = useState(() => draft.steps.map(() => crypto.randomUUID()));
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const whole = problems.filter(({ path }) => path === 'steps' && draft.steps.length > 0);
  const toggle = (id: string) =>
    setOpened((before) => {
      const next = new Set(before);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const swap = (index: number, by: -1 | 1) => {
    const to = index + by;
    if (to < 0 || to >= ids.length) return;
    setIds((before) => swapItems(before, index, to));
    onChange(moveStep(draft, index, by));
  };
  return (
    <>
      <Group justify="space-between">
        <Title order={2} size="h3">
          Steps
        </Title>
        <ActionMenu
          actions={stepAnalyses.map(({ key, title, purpose }) => ({
            label: title,
            command: `Add step: ${title}`,
            note: purpose,
            run: () => {
              const id = crypto.randomUUID();
              onChange(addStep(draft, key));
              setIds([...ids, id]);
              setOpened(new Set([...opened, id]));
            },
          }))}
        >
          <Button variant="default" data-autofocus leftSection={<IconPlus size={14} aria-hidden />}>
            Add step
          </Button>
        </ActionMenu>
      </Group>
      {draft.steps.length === 0 && (
        <Text c="dimmed" className="measure">
          A step is one analysis with its parameters. Steps that don’t wait for each other run side by side;
          one that runs after others takes their results where they fit.
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
          isOpen={opened.has(ids[index] ?? '')}
          isFirst={index === 0}
          isLast={index === draft.steps.length - 1}
          parameters={parametersForm({
            kind: step.operation,
            parameters: step.parameters,
            onChange: (parameters) => onChange((before) => changeStep(before, index, { parameters })),
          })}
          onToggle={() => toggle(ids[index] ?? '')}
          onChange={(changes) => onChange(changeStep(draft, index, changes))}
          onMove={(by) => swap(index, by)}
          onRemove={() => {
            onChange(removeStep(draft, index));
            setIds(ids.filter((_, at) => at !== index));
          }}
        />
      ))}
    </>
  );
}
