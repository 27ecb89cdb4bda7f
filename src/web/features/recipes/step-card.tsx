import { ActionIcon, Collapse, Group, MultiSelect, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import {
  IconArrowDown,
  IconArrowUp,
  IconChevronDown,
  IconChevronRight,
  IconTrash,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { getStep } from '#contract/analyses/steps.ts';
import { type DraftProblem, problemsAt } from './draft.ts';
import classes from './recipes.module.css';

interface StepCardProps {
  step: RecipeStep;
  /** keys of the other steps, which it can depend on */
  others: readonly string[];
  problems: readonly DraftProblem[];
  isOpen: boolean;
  isFirst: boolean;
  isLast: boolean;
  /** the form of its parameters */
  parameters: ReactNode;
  onToggle: () => void;
  onChange: (changes: Partial<RecipeStep>) => void;
  onMove: (by: -1 | 1) => void;
  onRemove: () => void;
}

/** One step of a draft: its name, dependencies, parameters and position. */
export function StepCard(props: StepCardProps) {
  const { step, others, problems, isOpen, isFirst, isLast, parameters } = props;
  const { title, purpose } = getStep(step.operation);
  const wrong = problems.filter(({ path }) => path !== 'key' && path !== 'needs');
  return (
    <section
      className={classes.card}
      data-wrong={problems.length > 0 || undefined}
      aria-label={`Step ${step.key}`}
    >
      <Group className={classes.cardHead} justify="space-between" wrap="nowrap" gap="xs">
        <Group gap="xs" wrap="nowrap" style={{ minWidth: 0 }}>
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={`${isOpen ? 'Close' : 'Open'} the step ${step.key}`}
            aria-expanded={isOpen}
            onClick={props.onToggle}
          >
            {isOpen ? <IconChevronDown size={16} aria-hidden /> : <IconChevronRight size={16} aria-hidden />}
          </ActionIcon>
          <Text fw={600} truncate>
            {step.key}
          </Text>
          <Text c="dimmed" truncate>
            {title}
            {step.needs.length > 0 ? `, after ${step.needs.join(', ')}` : ''}
          </Text>
        </Group>
        <Group gap={2} wrap="nowrap">
          <Tooltip label="Earlier">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Move ${step.key} up`}
              disabled={isFirst}
              onClick={() => props.onMove(-1)}
            >
              <IconArrowUp size={15} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Later">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Move ${step.key} down`}
              disabled={isLast}
              onClick={() => props.onMove(1)}
            >
              <IconArrowDown size={15} aria-hidden />
            </ActionIcon>
          </Tooltip>
          <Tooltip label="Remove this step">
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label={`Remove the step ${step.key}`}
              onClick={props.onRemove}
            >
              <IconTrash size={15} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Group>
      </Group>
      {wrong.length > 0 && (
        <Stack gap={2} px="sm" pb="xs">
          {wrong.map(({ path, message }) => (
            <Text key={`${path} ${message}`} size="sm" c="var(--sw-danger)" role="alert">
              {path === '' ? message : `${path.replace(/^parameters\./, '')}: ${message}`}
            </Text>
          ))}
        </Stack>
      )}
      <Collapse expanded={isOpen}>
        <Stack gap="sm" className={classes.cardBody}>
          <Text c="dimmed">{purpose}</Text>
          <Group gap="sm" align="flex-start" grow>
            <TextInput
              label="Name of the step"
              description="Gates and later steps refer to it."
              value={step.key}
              error={problemsAt(problems, 'key')[0]?.message}
              onChange={(event) => props.onChange({ key: event.currentTarget.value })}
            />
            <MultiSelect
              label="Runs after"
              description="Uses their results where they fit."
              data={[...others]}
              value={step.needs}
              placeholder={step.needs.length === 0 ? 'None (starts immediately)' : undefined}
              error={problemsAt(problems, 'needs')[0]?.message}
              onChange={(needs) => props.onChange({ needs })}
              clearable
            />
          </Group>
          {parameters}
        </Stack>
      </Collapse>
    </section>
  );
}
