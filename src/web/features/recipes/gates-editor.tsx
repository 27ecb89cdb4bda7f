import { ActionIcon, Group, NumberInput, Select, Stack, Text, TextInput, Tooltip } from '@mantine/core';
import { IconPlus, IconTrash } from '@tabler/icons-react';
import { comparisons } from '#contract/analyses/gates.ts';
import { listUnits } from '#contract/analyses/quantities.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import {
  addGate,
  changeGate,
  comparisonWords,
  type Draft,
  type DraftProblem,
  gateOn,
  measureChoices,
  problemsAt,
  removeGate,
  resolveMeasure,
} from './draft.ts';
import classes from './recipes.module.css';

interface GatesEditorProps {
  draft: Draft;
  problems: readonly DraftProblem[];
  onChange: (draft: Draft) => void;
}

const noUnit = '–';

/** Edits limits on the measures of the steps, each with its guard band. */
export function GatesEditor({ draft, problems, onChange }: GatesEditorProps) {
  const groups = measureChoices(draft.steps);
  const choices = groups.flatMap(({ items }) => items);
  return (
    <Stack gap="sm">
      {draft.gates.length === 0 && (
        <Text c="dimmed" className="measure">
          Without gates a run measures and gives no verdict. A gate checks a measure against a limit; within
          the guard band around the limit the verdict is indeterminate.
        </Text>
      )}
      {draft.gates.map((gate, index) => {
        const wrong = problemsAt(problems, `gates.${index}`);
        const findError = (field: string) => wrong.find(({ path }) => path === field)?.message;
        const measure = resolveMeasure(gate.measure, draft.steps);
        const units = measure ? listUnits(measure.quantity) : [gate.unit];
        const change = (changes: Parameters<typeof changeGate>[2]) =>
          onChange(changeGate(draft, index, changes));
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: a gate's key is what is being edited
          <fieldset key={index} className={classes.card} data-wrong={wrong.length > 0 || undefined}>
            <legend className="mantine-visually-hidden">Gate {gate.key}</legend>
            <Stack gap="xs" className={classes.cardHead}>
              <Group gap="xs" align="flex-end" wrap="nowrap">
                <TextInput
                  label="Gate"
                  value={gate.key}
                  error={findError('key')}
                  onChange={(event) => change({ key: event.currentTarget.value })}
                  w={170}
                />
                <Select
                  label="Measure"
                  data={groups.map(({ group, items }) => ({
                    group,
                    items: items.map(({ value, label }) => ({ value, label })),
                  }))}
                  value={gate.measure}
                  error={findError('measure')}
                  onChange={(value) => {
                    const choice = choices.find((each) => each.value === value);
                    if (choice) change(gateOn(choice));
                  }}
                  searchable
                  allowDeselect={false}
                  style={{ flex: 1 }}
                />
                <Tooltip label="Remove this gate">
                  <ActionIcon
                    variant="subtle"
                    color="gray"
                    aria-label={`Remove the gate ${gate.key}`}
                    onClick={() => onChange(removeGate(draft, index))}
                    mb={4}
                  >
                    <IconTrash size={16} aria-hidden />
                  </ActionIcon>
                </Tooltip>
              </Group>
              <Group gap="xs" align="flex-start" wrap="nowrap">
                <Select
                  label="Must be"
                  data={comparisons.map((value) => ({ value, label: comparisonWords[value] }))}
                  value={gate.comparison}
                  onChange={(value) => {
                    const comparison = comparisons.find((each) => each === value);
                    if (comparison) change({ comparison });
                  }}
                  allowDeselect={false}
                  w={130}
                />
                <NumberInput
                  label="Limit"
                  value={Number.isNaN(gate.limit) ? '' : gate.limit}
                  placeholder="Not set"
                  error={findError('limit')}
                  onChange={(value) => change({ limit: typeof value === 'number' ? value : Number.NaN })}
                  style={{ flex: 1 }}
                  hideControls
                />
                <Select
                  label="Unit"
                  data={units.map((value) => ({ value: value || noUnit, label: value || noUnit }))}
                  value={gate.unit || noUnit}
                  error={findError('unit')}
                  onChange={(value) => value && change({ unit: value === noUnit ? '' : value })}
                  allowDeselect={false}
                  w={84}
                />
                <NumberInput
                  label="Guard band ±"
                  value={gate.guardBand ?? ''}
                  placeholder="Uncertainty"
                  error={findError('guardBand')}
                  min={0}
                  onChange={(value) => change({ guardBand: typeof value === 'number' ? value : null })}
                  style={{ flex: 1 }}
                  hideControls
                />
              </Group>
            </Stack>
          </fieldset>
        );
      })}
      <Group>
        <ActionButton
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          reason={choices.length === 0 ? 'Add a step that measures something first' : null}
          onClick={() => onChange(addGate(draft))}
        >
          Add gate
        </ActionButton>
      </Group>
    </Stack>
  );
}
