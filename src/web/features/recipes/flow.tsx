import { Group, Text } from '@mantine/core';
import { findTitle } from '#contract/analyses/registry.ts';
import type { WorkStatus } from '#contract/base/primitives.ts';
import { formatProgress, spellOut } from '#web/ui/quantity.ts';
import { StatusBadge } from '#web/ui/status-badge.tsx';
import { groupByLevel } from './draft.ts';
import classes from './recipes.module.css';

interface FlowStep {
  key: string;
  operation: string;
  needs: string[];
  status?: WorkStatus;
  progress?: number;
  /** null before the step starts */
  operationId?: string | null;
}

/** The steps from left to right; steps in one column do not depend on each other. */
export function Flow({ steps }: { steps: readonly FlowStep[] }) {
  return (
    <ol className={classes.flow} aria-label="Order of the steps">
      {groupByLevel(steps).map((keys) => (
        <li key={keys.join(' ')}>
          <ul className={classes.level}>
            {keys.map((key) => {
              const step = steps.find((each) => each.key === key);
              if (!step) return null;
              return (
                <li key={key} className={classes.node} data-status={step.status}>
                  <Group justify="space-between" wrap="nowrap" gap="xs">
                    <Text fw={500} truncate>
                      {key}
                    </Text>
                    {step.status && (
                      <StatusBadge
                        status={step.status}
                        label={
                          step.status === 'processing'
                            ? formatProgress(step.progress ?? 0)
                            : step.status === 'cancelled' && step.operationId === null
                              ? 'Not started'
                              : undefined
                        }
                      />
                    )}
                  </Group>
                  <Text size="sm" c="dimmed" truncate>
                    {findTitle(step.operation) ?? spellOut(step.operation)}
                  </Text>
                  {step.needs.length > 0 && (
                    <Text size="xs" c="dimmed" truncate>
                      after {step.needs.join(', ')}
                    </Text>
                  )}
                </li>
              );
            })}
          </ul>
        </li>
      ))}
    </ol>
  );
}
