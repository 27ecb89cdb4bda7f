import { ActionIcon, Button, Checkbox, Group, Text, Title, Tooltip } from '@mantine/core';
import { IconEye, IconEyeOff, IconPlus, IconRuler2 } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import { kindTitles, relationKinds } from '#contract/shapes/measurement.ts';
import type { DataObject, Project } from '#web/api/generated/types.gen.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { ActionMenu } from '#web/ui/action-menu.tsx';
import { useCommands } from '#web/ui/commands.ts';
import { isEscape } from '#web/ui/is-escape.ts';
import { NumberDownloads } from '#web/ui/number-downloads.tsx';
import toolbar from '#web/ui/toolbar-button.module.css';
import { canTakeFace, type DrawnKind, describeNext, evaluateDraft, explainNoUncertainty } from './draft.ts';
import { MeasurementLine } from './measurement-line.tsx';
import { listMeasurementRows } from './measurement-rows.ts';
import classes from './measurements.module.css';
import { findNewerSurface, useSources } from './newer-surface.ts';
import { PointFields } from './point-fields.tsx';
import { isFeature, RelationForm } from './relation-form.tsx';
import type { Measuring } from './use-measuring.ts';

interface MeasurementsPanelProps {
  project: Project;
  /** newest first */
  dataObjects: readonly DataObject[];
  measuring: Measuring;
  /** why nothing can be measured; null = it can */
  reason: string | null;
}

const notes: Partial<Record<DrawnKind, string>> = {
  distance: 'between two points',
  angle: 'three points, the second is the vertex',
  area: 'of a polygon',
  wall: 'along the normal, from the surface through the part',
  profile: 'grey values along a line',
  circle: 'radius: through 3 points, fitted to more',
};
const needsFeatures = 'Fit two features first, such as planes.';
const needsSurface = 'The part has no surface yet: run the mesh analysis first.';
const drawnKinds: DrawnKind[] = [
  'distance',
  'angle',
  'circle',
  'area',
  'wall',
  'profile',
  'line',
  'plane',
  'sphere',
  'cylinder',
  'cone',
];

/** Starts a measurement; in the viewer's toolbar. */
export function MeasureMenu({ measuring, reason }: Pick<MeasurementsPanelProps, 'measuring' | 'reason'>) {
  const { measurements, begin, surfaceId, draft, relation } = measuring;
  const cancel = () => {
    measuring.end();
    measuring.relate(null);
  };
  useCommands([
    // Wherever the focus is: on the button that opened the menu, for one.
    ...((draft ?? relation)
      ? [{ keys: 'Escape', label: 'Cancel the measurement', group: 'Project', run: cancel }]
      : []),
    { keys: 'm d', label: 'Measure a distance', group: 'Project', reason, run: () => begin('distance') },
    { keys: 'm a', label: 'Measure an angle', group: 'Project', reason, run: () => begin('angle') },
    { keys: 'm r', label: 'Measure a radius', group: 'Project', reason, run: () => begin('circle') },
  ]);
  return (
    <ActionMenu
      width={250}
      actions={[
        ...drawnKinds.map((kind) => ({
          label: kindTitles[kind],
          command: `Measure: ${kindTitles[kind].toLowerCase()}`,
          reason: reason ?? (kind === 'wall' && surfaceId === null ? needsSurface : null),
          ...(notes[kind] === undefined ? {} : { note: notes[kind] }),
          run: () => begin(kind),
        })),
        ...relationKinds.map((kind) => ({
          label: kindTitles[kind],
          command: `Measure: ${kindTitles[kind].toLowerCase()}`,
          reason: reason ?? (measurements.filter(isFeature).length < 2 ? needsFeatures : null),
          run: () => measuring.relate(kind),
        })),
      ]}
    >
      <button type="button" className={toolbar.toolbarButton} title="Measure" aria-pressed={draft !== null}>
        <IconRuler2 size={16} aria-hidden />
        <span className={toolbar.word}>Measure</span>
      </button>
    </ActionMenu>
  );
}

/** The manual measurements of the part, and the one in progress. */
export function MeasurementsPanel(props: MeasurementsPanelProps) {
  const { project, dataObjects, measuring, reason } = props;
  const { measurements, draft, relation, relate, end, surfaceId, show } = measuring;
  const { visible: isVisible, selectedId } = measuring.shown;
  const sources = useSources(measurements, dataObjects);
  return (
    <section aria-labelledby="measurements-title">
      <Group justify="space-between" mb={6}>
        <Title order={2} size="h2" id="measurements-title">
          Measurements
        </Title>
        {measurements.length > 0 && (
          <Tooltip label={isVisible ? 'Hide in the viewer' : 'Show in the viewer'}>
            <ActionIcon
              size="sm"
              aria-label="Show measurements in the viewer"
              aria-pressed={isVisible}
              onClick={() => show({ visible: !isVisible })}
            >
              {isVisible ? <IconEye size={15} aria-hidden /> : <IconEyeOff size={15} aria-hidden />}
            </ActionIcon>
          </Tooltip>
        )}
      </Group>
      {draft && <DraftForm {...props} draft={draft} />}
      {relation && (
        <RelationForm
          kind={relation}
          projectId={project.id}
          measurements={measurements}
          onDone={(id) => {
            relate(null);
            if (id !== null) show({ selectedId: id });
          }}
        />
      )}
      {measurements.length === 0 && !draft && (
        <Text size="sm" c="dimmed">
          “Measure” above the view takes distances, angles, radii and fitted features in the slices or on the
          surface.
        </Text>
      )}
      {measurements.map((measurement) => {
        const isChosen = measurement.id === selectedId && !draft;
        const newer = findNewerSurface(measurement, dataObjects, sources);
        const unshown = newer && newer.id !== surfaceId ? `Show the newest “${newer.name}” first.` : null;
        return (
          <MeasurementLine
            key={measurement.id}
            measurement={measurement}
            projectId={project.id}
            reason={reason}
            snap={measuring.snap}
            snapReason={surfaceId === null ? needsSurface : unshown}
            isOnOlder={newer !== null}
            between={measurements
              .filter(({ id }) => measurement.featureIds.includes(id))
              .map(({ name }) => name)}
            isChosen={isChosen}
            onChoose={() => {
              // A draft started automatically is discarded; one with points is kept.
              if (draft?.points.length === 0) end();
              show({ selectedId: isChosen ? null : measurement.id });
            }}
          />
        );
      })}
      {measurements.length > 0 && (
        <Group mt={8}>
          <NumberDownloads
            what="the measurements"
            nameParts={[project.partNumber || project.name, project.serialNumber, 'measurements']}
            rows={() => listMeasurementRows(measurements)}
            whole={() => measurements}
          />
        </Group>
      )}
    </section>
  );
}

function DraftForm({
  measuring,
  reason,
  draft,
}: MeasurementsPanelProps & { draft: NonNullable<Measuring['draft']> }) {
  const { setPoints, takeFace, save, end, isSaving, surfaceId, readCursor, snap } = measuring;
  const form = useRef<HTMLDivElement>(null);
  useEffect(() => {
    form.current?.scrollIntoView({ block: 'nearest' });
    form.current?.focus({ preventScroll: true });
  }, []);
  const snapAll = () => {
    const snapped = snap(places);
    const surface = { placement: 'surface' as const, surfaceId: snapped?.surfaceId ?? null };
    if (snapped)
      setPoints(
        draft.points.map((point, i) => ({
          ...point,
          pointWorld: snapped.points[i] ?? point.pointWorld,
          ...surface,
        })),
      );
  };
  const { shown, problem } = evaluateDraft(draft);
  const noUncertainty = explainNoUncertainty(draft);
  const places = draft.points.map(({ pointWorld }) => pointWorld);
  const title = `New: ${kindTitles[draft.kind].toLowerCase()}`;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: only catches Escape from the elements inside
    <div
      ref={form}
      tabIndex={-1}
      data-draft
      className={classes.draft}
      onKeyDown={(event) => isEscape(event) && end()}
    >
      <fieldset aria-label={title} className={classes.fields}>
        <Group justify="space-between" wrap="nowrap">
          <Text fw={600} size="sm">
            {title}
          </Text>
          <output aria-label="Measured so far">{shown.value}</output>
        </Group>
        <Text size="xs" c="dimmed" mb={6}>
          {describeNext(draft)}
        </Text>
        {noUncertainty !== null && (
          <Text size="xs" c="dimmed" mb={6}>
            {noUncertainty}
          </Text>
        )}
        {canTakeFace(draft.kind) && surfaceId !== null && (
          <Checkbox
            size="xs"
            mb={6}
            label="Fit to the whole face"
            checked={draft.takesFace}
            onChange={(event) => takeFace(event.currentTarget.checked)}
          />
        )}
        <PointFields
          points={places}
          reason={null}
          isOpen
          onChange={(next) =>
            setPoints(
              // Typed coordinates are not necessarily on the surface.
              next.map(
                (pointWorld) =>
                  draft.points.find((each) => each.pointWorld === pointWorld) ?? {
                    pointWorld,
                    placement: 'free',
                    surfaceId: null,
                  },
              ),
            )
          }
        />
        <Group gap={6} mt={8}>
          <ActionButton
            size="compact-sm"
            reason={problem === null ? reason : describeNext(draft)}
            loading={isSaving}
            onClick={save}
          >
            Save measurement
          </ActionButton>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconPlus size={13} aria-hidden />}
            onClick={() =>
              setPoints([...draft.points, { pointWorld: readCursor(), placement: 'free', surfaceId: null }])
            }
          >
            Add point
          </Button>
          {draft.points.some(({ placement }) => placement === 'free') && (
            <ActionButton
              variant="default"
              size="compact-sm"
              reason={surfaceId === null ? needsSurface : null}
              onClick={snapAll}
            >
              Snap to surface
            </ActionButton>
          )}
          <Button variant="subtle" size="compact-sm" onClick={end}>
            Cancel
          </Button>
        </Group>
      </fieldset>
    </div>
  );
}
