import { Button, Group, NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { kindTitles, type relationKinds } from '#contract/shapes/measurement.ts';
import type { Measurement } from '#web/api/generated/types.gen.ts';
import { isEscape } from '#web/ui/is-escape.ts';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { chooseName } from './draft.ts';
import classes from './measurements.module.css';
import { useCreateMeasurement, useRememberMade } from './mutations.ts';

interface RelationFormProps {
  kind: (typeof relationKinds)[number];
  projectId: string;
  measurements: readonly Measurement[];
  /** called with the id of the saved measurement, or null if cancelled */
  onDone: (id: string | null) => void;
}

/** Whether a distance or an angle can be measured from it. */
export const isFeature = ({ result }: Measurement): boolean => result.feature !== null;

/** Chooses two features from the list; their distance or angle is updated when they change. */
export function RelationForm({ kind, projectId, measurements, onDone }: RelationFormProps) {
  const features = measurements.filter(isFeature);
  const [one, setOne] = useState(features.at(-2)?.id ?? '');
  const [other, setOther] = useState(features.at(-1)?.id ?? '');
  const create = useCreateMeasurement(projectId);
  const rememberMade = useRememberMade(projectId);
  const options = features.map(({ id, name }) => ({ value: id, label: name }));
  const save = () => {
    const first = features.find(({ id }) => id === one);
    if (!first) return;
    const names = measurements.map(({ name }) => name);
    const body = {
      dataObjectId: first.dataObjectId,
      name: chooseName(kind, names),
      kind,
      featureIds: [one, other],
    };
    create.mutate(body, {
      onSuccess: ({ id }) => {
        rememberMade(id, body);
        onDone(id);
      },
    });
  };
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only catches Escape from the elements inside
    <div data-draft className={classes.draft} onKeyDown={(event) => isEscape(event) && onDone(null)}>
      <fieldset aria-label={`New: ${kindTitles[kind].toLowerCase()}`} className={classes.fields}>
        <Stack gap={6}>
          <Text fw={600} size="sm">
            New: {kindTitles[kind].toLowerCase()}
          </Text>
          <NativeSelect
            size="xs"
            label="From"
            data={options}
            value={one}
            onChange={(event) => setOne(event.currentTarget.value)}
          />
          <NativeSelect
            size="xs"
            label="To"
            data={options}
            value={other}
            onChange={(event) => setOther(event.currentTarget.value)}
          />
          {create.error && <ProblemAlert error={create.error} />}
          <Group gap={6}>
            <Button size="compact-sm" loading={create.isPending} onClick={save}>
              Save measurement
            </Button>
            <Button variant="subtle" size="compact-sm" onClick={() => onDone(null)}>
              Cancel
            </Button>
          </Group>
        </Stack>
      </fieldset>
    </div>
  );
}
