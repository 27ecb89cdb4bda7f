import type { Measurement, MeasurementKind } from '#contract/shapes/measurement.ts';
import type { FeatureKind } from '#kernels/features/feature.ts';
import { isOfSeveralFaces } from '#kernels/features/grow-patch.ts';
import { isFeatureKind } from '#kernels/features/measure.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { Signal } from './signal.ts';

/** A measurement as it is drawn. */
export interface ShownMeasurement extends Pick<Measurement, 'id' | 'name' | 'kind' | 'points'> {
  /** with unit; null while its points do not determine a value */
  value: string | null;
  feature: Measurement['result']['feature'];
}

export interface PickedPoint {
  pointWorld: Vector3;
  placement: Measurement['placement'];
  /** the surface that its points are on */
  surfaceId: string | null;
}

/** The page's measurements, and callbacks for measuring. */
export interface MeasureProps {
  shown: readonly ShownMeasurement[];
  /** in progress, not saved: clicks and Enter place its points */
  draft: Omit<ShownMeasurement, 'id'> | null;
  /** what is being measured, and the next step; null without a draft */
  hint: string | null;
  /** a click takes the whole face around the point */
  takesFace: boolean;
  onPoints: (points: PickedPoint[]) => void;
  /** called with the reason, in a sentence, if nothing can be measured there */
  onMiss: (reason: string) => void;
  onRemovePoint: () => void;
  onSave: () => void;
  onEnd: () => void;
}

/** Queries of the loaded surface around a point. */
interface Feeler {
  findPlace(place: Vector3): Vector3 | null;
  findWall(place: Vector3): [Vector3, Vector3] | null;
  findPatch(place: Vector3, kind: FeatureKind): Vector3[];
}

/** Fewer vertices are not accepted as a face. */
const minFacePoints = 12;

/** The state of measuring in this viewer. */
export class Measuring {
  readonly props = new Signal<MeasureProps | null>(null);
  /** where a click would place the next point */
  readonly next = new Signal<PickedPoint | null>(null);
  /** of the part's surface, if one is loaded */
  feeler: (() => Feeler | null) | null = null;

  get kind(): MeasurementKind | null {
    return this.props.get()?.draft?.kind ?? null;
  }

  /** Moves each point to the nearest place on the loaded surface; null without one. */
  snap(points: readonly Vector3[]): Vector3[] | null {
    const feeler = this.feeler?.();
    const found = points.map((point) => feeler?.findPlace(point) ?? null);
    return found.every((point) => point !== null) ? found : null;
  }

  /** Adds the picked point to the draft; a wall takes two points from it, a face many. */
  place(point: PickedPoint | null): void {
    const props = this.props.get();
    if (!point || !props?.draft) return;
    const { kind } = props.draft;
    if (kind !== 'wall' && !props.takesFace) {
      props.onPoints([point]);
      return;
    }
    const found = this.#feel(point, kind);
    if (typeof found === 'string') props.onMiss(found);
    else props.onPoints(found);
  }

  #feel(point: PickedPoint, kind: MeasurementKind): PickedPoint[] | string {
    const feeler = this.feeler?.();
    if (!feeler) return 'This needs the surface of the part. Run the mesh analysis and show its result.';
    const { pointWorld } = point;
    const points = isFeatureKind(kind) ? feeler.findPatch(pointWorld, kind) : feeler.findWall(pointWorld);
    if (!points) return 'No opposite surface was found here. Choose another place.';
    if (points.length < minFacePoints && kind !== 'wall')
      return 'The face here is too small or too rough to be fitted. Place single points instead.';
    if (isFeatureKind(kind) && isOfSeveralFaces(kind, points))
      return 'The face merges into its neighbours here. Place single points instead.';
    return points.map((each) => ({ ...point, pointWorld: each, placement: 'surface' }));
  }

  /** Handles the keys of a pane during a measurement. @returns whether the key was used */
  press(key: string, cursor: () => PickedPoint | null): boolean {
    const props = this.props.get();
    if (!props?.draft) return false;
    if (key === 'Enter') this.place(cursor());
    else if (key === 'Backspace') props.onRemovePoint();
    else if (key === 's' || key === 'S') props.onSave();
    else if (key === 'Escape') props.onEnd();
    else return false;
    return true;
  }
}
