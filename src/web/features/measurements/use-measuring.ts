import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import {
  formatHeadline,
  kindTitles,
  listDrawnPoints,
  type relationKinds,
} from '#contract/shapes/measurement.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { Measurement } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { forgetUndo, rememberUndo } from '#web/ui/undo-toast.tsx';
import type { ScanViewerHandle } from '#web/viewer/ScanViewer.tsx';
import type { MeasureProps, PickedPoint } from '#web/viewer/state/measuring.ts';
import {
  canTakeFace,
  countPoints,
  type Draft,
  type DrawnKind,
  describeDraft,
  describeNext,
  evaluateDraft,
} from './draft.ts';
import { useCreateMeasurement, useRememberMade } from './mutations.ts';
import { measurementOptions } from './queries.ts';

type Relation = (typeof relationKinds)[number];

export interface Measuring {
  measurements: readonly Measurement[];
  draft: Draft | null;
  begin: (kind: DrawnKind) => void;
  /** the relation between features that is being defined */
  relation: Relation | null;
  relate: (relation: Relation | null) => void;
  takeFace: (takesFace: boolean) => void;
  end: () => void;
  setPoints: (points: PickedPoint[]) => void;
  save: () => void;
  isSaving: boolean;
  /** the surface shown, which measuring walls and faces requires; null = none */
  surfaceId: string | null;
  /** the measurements drawn in the viewer, and the selected one */
  shown: ViewState['measurements'];
  show: (change: Partial<ViewState['measurements']>) => void;
  /** moves points to the nearest place on the part's surface; null, with a message, if no surface is shown */
  snap: ScanViewerHandle['snapToSurface'];
  /** the position of the viewer's cursor, for typed coordinates */
  readCursor: () => [number, number, number];
  /** for the viewer */
  props: MeasureProps;
}

const none: readonly Measurement[] = [];
/** of the points of the measurement in progress, for undo */
const draftKey = 'measurement in progress';

interface MeasuringOptions {
  projectId: string;
  /** the data object that new measurements belong to; null if there is none */
  dataObjectId: string | null;
  /** the surface shown; null = none */
  surfaceId: string | null;
  viewer: RefObject<ScanViewerHandle | null>;
  /** the measurements shown by a link or bookmark */
  shown: ViewState['measurements'] | undefined;
}

/**
 * The measurements of a project: the saved ones and the one in progress. A measurement with a fixed number of points is
 * saved when the last one is placed in the viewer; the next one can then begin.
 */
export function useMeasuring(options: MeasuringOptions): Measuring {
  const { projectId, dataObjectId, surfaceId, viewer } = options;
  const list = useQuery(measurementOptions(projectId));
  const measurements = list.data?.results ?? none;
  const [draft, setDraft] = useState<Draft | null>(null);
  /** Starts or ends a measurement: the steps of the former one can no longer be undone. */
  const replaceDraft = (next: Draft | null) => {
    forgetUndo(draftKey);
    setDraft(next);
  };
  useEffect(() => () => forgetUndo(draftKey), []);
  const [relation, relate] = useState<Relation | null>(null);
  const create = useCreateMeasurement(projectId);
  const rememberMade = useRememberMade(projectId);
  const [shown, setShown] = useState<ViewState['measurements']>({ visible: true, selectedId: null });
  useEffect(() => {
    if (options.shown) setShown(options.shown);
  }, [options.shown]);
  const show = (change: Partial<ViewState['measurements']>) => {
    const chosen = measurements.find(({ id }) => id === change.selectedId);
    viewer.current?.showMeasurements(change, chosen?.points[0]);
    setShown((now) => ({ ...now, ...change }));
  };
  const save = (wanted: Draft | null) => {
    if (!wanted || dataObjectId === null || evaluateDraft(wanted).problem !== null) return;
    const names = measurements.map(({ name }) => name);
    // A profile is read before the next one is taken.
    replaceDraft(wanted.kind === 'profile' ? null : { ...wanted, points: [] });
    const body = describeDraft(wanted, dataObjectId, names);
    create.mutate(body, {
      onSuccess: ({ id }) => {
        show({ selectedId: id, visible: true });
        rememberMade(id, body);
      },
      onError: (error) => {
        // Restores the draft, so that no placed point is lost.
        setDraft(wanted);
        notifyFailure(error);
      },
    });
  };
  const changePoints = (text: string, points: PickedPoint[]) => {
    if (!draft) return;
    const set = (to: PickedPoint[]) => () => setDraft((now) => now && { ...now, points: to });
    rememberUndo(text, set(draft.points), draftKey, set(points));
    set(points)();
  };
  const addPoints = (points: PickedPoint[]) => {
    if (!draft) return;
    const next = { ...draft, points: [...draft.points, ...points] };
    if (next.points.length === countPoints(next.kind) || draft.takesFace) save(next);
    else changePoints('point placed', next.points);
  };
  const removePoint = () => {
    if (draft && draft.points.length > 0) changePoints('point removed', draft.points.slice(0, -1));
  };
  const latest = useRef({ addPoints, removePoint, replaceDraft, save, draft });
  useEffect(() => {
    latest.current = { addPoints, removePoint, replaceDraft, save, draft };
  });
  const props = useMemo(
    (): MeasureProps => ({
      shown: measurements.map((each) => ({
        ...{ id: each.id, name: each.name, kind: each.kind },
        points: listDrawnPoints(each, measurements),
        feature: each.result.feature,
        value: formatHeadline(each.result.values),
      })),
      draft: draft && evaluateDraft(draft).shown,
      hint: draft && `${kindTitles[draft.kind]}: ${describeNext(draft)}`,
      takesFace: draft?.takesFace ?? false,
      onPoints: (points) => latest.current.addPoints(points),
      onMiss: (message) => notifications.show({ message }),
      onRemovePoint: () => latest.current.removePoint(),
      onSave: () => latest.current.save(latest.current.draft),
      onEnd: () => latest.current.replaceDraft(null),
    }),
    [measurements, draft],
  );
  return {
    measurements,
    draft,
    relation,
    relate,
    begin: (kind) => replaceDraft({ kind, points: [], takesFace: canTakeFace(kind) && surfaceId !== null }),
    takeFace: (takesFace) => setDraft((now) => now && { ...now, takesFace }),
    end: () => replaceDraft(null),
    setPoints: (points) => changePoints('points changed', points),
    save: () => save(draft),
    isSaving: create.isPending,
    surfaceId,
    shown,
    show,
    snap: (points) => {
      const snapped = viewer.current?.snapToSurface(points) ?? null;
      if (!snapped) notifications.show({ message: 'Show the surface of the part first, then snap to it.' });
      return snapped;
    },
    readCursor: () => viewer.current?.state().cursorMm ?? [0, 0, 0],
    props,
  };
}
