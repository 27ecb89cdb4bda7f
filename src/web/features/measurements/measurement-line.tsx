import { Group, Stack, Text, TextInput } from '@mantine/core';
import { IconMagnet, IconTrash } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { formatNumber, formatQuantity, withUnit } from '#contract/base/format-number.ts';
import {
  describeFit,
  formatHeadline,
  formatMeasurement,
  kindTitles,
  quantityTitles,
} from '#contract/shapes/measurement.ts';
import { minus } from '#kernels/grid/vectors.ts';
import type { Measurement, MeasurementPatch } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { notifyWithUndo } from '#web/ui/undo-toast.tsx';
import { GreyProfile } from './grey-profile.tsx';
import classes from './measurements.module.css';
import { useDeleteMeasurement, usePatchMeasurement, useRestoreMeasurement } from './mutations.ts';
import { maxFields, PointFields } from './point-fields.tsx';
import type { Measuring } from './use-measuring.ts';

interface MeasurementLineProps {
  measurement: Measurement;
  projectId: string;
  /** why the measurement can't be changed; null = it can */
  reason: string | null;
  snap: Measuring['snap'];
  /** why its points can't be moved to the surface; null = they can */
  snapReason: string | null;
  /** whether its surface was replaced by a newer one */
  isOnOlder: boolean;
  /** names of the two features that it connects; otherwise empty */
  between: readonly string[];
  isChosen: boolean;
  onChoose: () => void;
}

const formatPlace = (mm: readonly number[]): string =>
  withUnit(mm.map((each) => formatNumber(each, 3)).join(', '), 'mm');

/** Name and value; the selected measurement also shows its details for editing. */
export function MeasurementLine(props: MeasurementLineProps) {
  const { measurement, isOnOlder, isChosen, onChoose } = props;
  return (
    <div className={classes.row} data-chosen={isChosen || undefined}>
      <button type="button" className={classes.head} aria-expanded={isChosen} onClick={onChoose}>
        <span className={classes.name}>
          {measurement.name}
          {isOnOlder && <small> on an older surface</small>}
        </span>
        <span className={classes.value}>{formatHeadline(measurement.result.values)}</span>
      </button>
      {isChosen && <Details {...props} />}
    </div>
  );
}

function Details(props: MeasurementLineProps) {
  const { measurement, projectId, reason, snap, snapReason, isOnOlder, between } = props;
  const { id, name, kind, points, result, placement, surfaceId } = measurement;
  const [typed, setTyped] = useState(name);
  useEffect(() => setTyped(name), [name]);
  const patch = usePatchMeasurement();
  const remove = useDeleteMeasurement();
  const restore = useRestoreMeasurement(projectId);
  const change = (next: MeasurementPatch, undo: MeasurementPatch, text: string) =>
    patch.mutate(
      { id, patch: next },
      {
        onError: notifyFailure,
        onSuccess: () => {
          const set = (to: MeasurementPatch) => () =>
            patch.mutate({ id, patch: to }, { onError: notifyFailure });
          notifyWithUndo(text, set(undo), id, set(next));
        },
      },
    );
  const rename = () => {
    const wanted = typed.trim();
    if (wanted === '' || wanted === name) setTyped(name);
    else change({ name: wanted }, { name }, `Renamed to “${wanted}”`);
  };
  const askDelete = () =>
    remove.mutate(id, {
      onError: notifyFailure,
      onSuccess: () => {
        const { dataObjectId, surfaceId, featureIds } = measurement;
        const body = { dataObjectId, surfaceId, name, kind, points, featureIds, placement };
        notifyWithUndo(
          `“${name}” deleted`,
          () => restore.mutate({ id, body }, { onError: notifyFailure }),
          id,
          () => remove.mutate(id, { onError: notifyFailure }),
        );
      },
    });
  const snapAll = () => {
    const snapped = snap(points);
    if (!snapped) return;
    const movedMm = points.map((point, i) => Math.hypot(...minus(point, snapped.points[i] ?? point)));
    change(
      { ...snapped, placement: 'surface' },
      { points, placement, surfaceId },
      `Snapped: moved by up to ${formatQuantity(Math.max(...movedMm), 'mm')}`,
    );
  };
  const fields = (
    <PointFields
      points={points}
      reason={reason}
      isOpen={false}
      onChange={(next) =>
        change({ points: next, placement: 'free' }, { points, placement }, `“${name}” moved`)
      }
    />
  );
  const { dataObjectName, surfaceName } = result.provenance;
  return (
    <Stack gap={8} p="4px 8px 10px">
      <TextInput
        size="xs"
        label="Name"
        value={typed}
        disabled={reason !== null}
        maxLength={200}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={rename}
        onKeyDown={(event) => event.key === 'Enter' && rename()}
      />
      <dl className={classes.values}>
        {result.values.map((value) => (
          <div key={value.quantity}>
            <dt>{quantityTitles[value.quantity]}</dt>
            <dd>{formatMeasurement(value)}</dd>
          </div>
        ))}
        {between.length > 0 && (
          <div>
            <dt>Between</dt>
            <dd>{between.join(', ')}</dd>
          </div>
        )}
        {result.feature && (
          <>
            <div>
              <dt>Fit</dt>
              <dd>{describeFit(result.feature)}</dd>
            </div>
            <div>
              <dt>Centre X, Y, Z</dt>
              <dd>{formatPlace(result.feature.centerMm)}</dd>
            </div>
          </>
        )}
      </dl>
      {kind === 'profile' && <GreyProfile {...measurement} />}
      {points.length > maxFields ? (
        <details>
          <summary>Points</summary>
          {fields}
        </details>
      ) : (
        fields
      )}
      <Text size="xs" c="dimmed">
        {kindTitles[kind]} on {surfaceName ?? dataObjectName}. {result.method}
      </Text>
      <Group gap={6}>
        {(isOnOlder || (placement === 'free' && points.length > 0)) && (
          <ActionButton
            variant="default"
            size="compact-xs"
            reason={reason ?? snapReason}
            leftSection={<IconMagnet size={12} aria-hidden />}
            onClick={snapAll}
          >
            {isOnOlder ? 'Snap to the newer surface' : 'Snap to surface'}
          </ActionButton>
        )}
        <ActionButton
          variant="default"
          size="compact-xs"
          reason={reason}
          leftSection={<IconTrash size={12} aria-hidden />}
          aria-label={`Delete ${name}`}
          onClick={askDelete}
        >
          Delete
        </ActionButton>
      </Group>
    </Stack>
  );
}
