/**
 * CTSimU scenario and metadata files (file formats 1.0 to 1.2).
 * @see https://bamresearch.github.io/ctsimu-scenarios/
 */

import { add, cross, minus, type Pose, poseFrom, rotate, scale, unit } from '#kernels/grid/vectors.ts';
import { bytesPerVoxel, type DataType, type Vector3 } from '#kernels/grid/volume.ts';
import type { View } from '#kernels/reconstruction/geometry.ts';
import { type Circle, fitCircle, type PosedView } from '#kernels/reconstruction/trajectory.ts';
import { malformed, unsupported } from '../format-error.ts';
import { lookUp } from '../look-up.ts';
import { isJson, type Json, numberIn, type ScanDescription } from './scan-description.ts';

const inMm: Record<string, number> = { mm: 1, cm: 10, m: 1000, um: 1e-3, µm: 1e-3 };
const inDegrees: Record<string, number> = { deg: 1, rad: 180 / Math.PI };

/** Progress of the scan: 0 at the first projection, 1 at the last. */
type Progress = number;

/**
 * `{value, unit, drifts}` in mm or degrees, or a plain number. Drifts known to the reconstruction are added: their
 * values are evenly spaced over the scan and interpolated linearly.
 */
function quantity(value: unknown, units: Record<string, number>, progress: Progress = 0): number | undefined {
  if (!isJson(value)) return numberIn(value);
  const number = numberIn(value['value']);
  if (number === undefined) return undefined;
  const drifts = value['drifts'];
  const list = Array.isArray(drifts) ? drifts : isJson(drifts) ? [drifts] : [];
  return list
    .filter((drift) => isJson(drift) && drift['known_to_reconstruction'] !== false)
    .reduce((sum, drift) => sum + driftAt(drift, units, progress), number * findFactor(value['unit'], units));
}

function findFactor(unitName: unknown, units: Record<string, number>): number {
  if (unitName === undefined || unitName === null) return 1;
  const factor = lookUp(units, String(unitName));
  if (factor === undefined)
    throw unsupported(`The geometry has a value in ${String(unitName)}, which is not read.`);
  return factor;
}

function driftAt(drift: Json, units: Record<string, number>, progress: Progress): number {
  const { value } = drift;
  const values = Array.isArray(value) ? value.map(numberIn) : [numberIn(value)];
  if (values.length === 0 || values.some((each) => each === undefined))
    throw unsupported(
      'The geometry has a drift whose values stand in another file; write them into “value” of the drift.',
    );
  const numbers = values as number[];
  const place = progress * (numbers.length - 1);
  const [before, after] = [Math.floor(place), Math.ceil(place)];
  const [low = 0, high = 0] = [numbers[before], numbers[after]];
  return (low + (place - before) * (high - low)) * findFactor(drift['unit'], units);
}

const within = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isJson(inner) ? inner[name] : undefined), value);

const names = { world: ['x', 'y', 'z'], own: ['u', 'v', 'w'] };

/** Three numbers by axis name, by default those of the world; undefined when one is missing. */
function vectorIn(value: unknown, axes: readonly string[], progress: Progress): Vector3 | undefined {
  const numbers = axes.map((axis) => quantity(within(value, axis), inMm, progress));
  return numbers.some((number) => number === undefined) ? undefined : (numbers as Vector3);
}

function vector(value: unknown, what: string, progress: Progress): Vector3 {
  const found = vectorIn(value, names.world, progress);
  if (!found) throw malformed(`The geometry does not say ${what} along x, y and z.`);
  return found;
}

function direction(value: unknown, what: string, progress: Progress): Vector3 {
  const found = vector(value, what, progress);
  if (!(Math.hypot(...found) > 0)) throw malformed(`The geometry does not say ${what}: the vector is zero.`);
  return unit(found);
}

const toWorld = ([u, v, w]: Vector3, { axes }: Pose): Vector3 =>
  add(add(scale(axes[0], u), scale(axes[1], v)), scale(axes[2], w));

/**
 * Pose of an object at a moment of the scan, with the deviations known to the reconstruction applied in order.
 *
 * @param turn rotation of the stage about its own w, in radians; deviations are applied after it, so those along u and
 * v rotate with it
 */
function poseAt(value: unknown, name: string, progress: Progress, turn = 0): Pose {
  const w = direction(within(value, 'vector_w'), `how the ${name} lies (vector_w)`, progress);
  const u = rotate(
    direction(within(value, 'vector_u'), `how the ${name} lies (vector_u)`, progress),
    w,
    turn,
  );
  const centerMm = vector(within(value, 'center'), `where the ${name} is`, progress);
  const deviations = within(value, 'deviations');
  return (Array.isArray(deviations) ? deviations : [])
    .filter((deviation) => isJson(deviation) && deviation['known_to_reconstruction'] !== false)
    .reduce((pose: Pose, deviation: Json) => deviate(pose, deviation, name, progress), {
      centerMm,
      axes: [u, cross(w, u), w],
    });
}

function deviate(pose: Pose, deviation: Json, name: string, progress: Progress): Pose {
  const { type } = deviation;
  const axis = readAxis(deviation['axis'], pose, progress);
  const isTurn = type === 'rotation';
  const amount = quantity(deviation['amount'], isTurn ? inDegrees : inMm, progress);
  if (!axis || amount === undefined || !(isTurn || type === 'translation')) {
    const along = JSON.stringify(deviation['axis']);
    throw unsupported(
      `The ${name} deviates in a way that is not read: ${String(type)} along ${along}. What is read is a rotation or a translation along x, y, z, u, v, w or a vector of x, y, z or u, v, w.`,
    );
  }
  if (!isTurn) return { ...pose, centerMm: add(pose.centerMm, scale(axis, amount)) };
  const pivot = readPivot(deviation['pivot'], pose, progress);
  const angle = (amount * Math.PI) / 180;
  return {
    centerMm: add(pivot, rotate(minus(pose.centerMm, pivot), axis, angle)),
    axes: pose.axes.map((each) => rotate(each, axis, angle)) as Pose['axes'],
  };
}

const worldAxes: Record<string, Vector3> = { x: [1, 0, 0], y: [0, 1, 0], z: [0, 0, 1] };

function readAxis(axis: unknown, pose: Pose, progress: Progress): Vector3 | undefined {
  if (typeof axis === 'string') return lookUp(worldAxes, axis) ?? pose.axes[names.own.indexOf(axis)];
  const own = vectorIn(axis, names.own, progress);
  const found = vectorIn(axis, names.world, progress) ?? (own && toWorld(own, pose));
  return found && Math.hypot(...found) > 0 ? unit(found) : undefined;
}

/** Fixed point of a rotation: the object's own centre by default. */
function readPivot(pivot: unknown, pose: Pose, progress: Progress): Vector3 {
  const own = vectorIn(pivot, names.own, progress);
  const inWorld = vectorIn(pivot, names.world, progress);
  return inWorld ?? (own ? add(pose.centerMm, toWorld(own, pose)) : pose.centerMm);
}

/** A source radiates alike in any orientation; only deviations along its own axes need it. */
const towardsX = { vector_u: { x: 0, y: -1, z: 0 }, vector_w: { x: 1, y: 0, z: 0 } };
/** Largest deviation from a circle, in detector pixels, that is still treated as a circle. */
const looseness = 0.05;
/**
 * Largest drift of the source: along the axis as a share of the height seen by the detector, and towards it as a share
 * of its distance. Filtered back-projection of a circle is accurate to second order in both.
 */
const maxDrift = 0.1;
/** Number of projections used to examine a motion if the scenario does not state it. */
const assumedProjections = 37;
/** Limit, because every projection is examined before any picture is opened. */
const maxProjections = 100_000;

/**
 * Source and detector at each projection relative to the part, as one circle about one axis, whichever of them moves;
 * if they leave the circle, also the poses of each projection.
 *
 * @throws FormatError for other motions, which a reconstruction from a circle would get wrong
 */
export function readCtsimuScenario(json: Json): ScanDescription {
  const geometry = json['geometry'];
  const acquisition = json['acquisition'];
  const start = quantity(within(acquisition, 'start_angle'), inDegrees) ?? 0;
  const stop = quantity(within(acquisition, 'stop_angle'), inDegrees) ?? 360;
  const statedCount = numberIn(within(acquisition, 'number_of_projections'));
  const count = statedCount ?? assumedProjections;
  const told = within(geometry, 'source');
  if (!(Number.isInteger(count) && count >= 2 && count <= maxProjections))
    throw malformed(`The scenario has ${count} projections; 2 to ${maxProjections} would be right.`);
  const isFinalIncluded = within(acquisition, 'include_final_angle') === true;
  const steps = isFinalIncluded ? count - 1 : count;
  const sign = within(acquisition, 'direction') === 'CW' ? -1 : 1;
  const views = Array.from({ length: count }, (_, i): PosedView => {
    const progress = i / (count - 1);
    const turn = (sign * (start + (i * (stop - start)) / steps) * Math.PI) / 180;
    const stage = poseAt(within(geometry, 'stage'), 'stage', progress, turn);
    const source = poseAt({ ...towardsX, ...(isJson(told) ? told : {}) }, 'source', progress);
    return {
      sourceMm: poseFrom(source, stage).centerMm,
      detector: poseFrom(poseAt(within(geometry, 'detector'), 'detector', progress), stage),
    };
  });
  if (!views.every(isFinitePose)) throw malformed('A length or an angle of the scenario is too large.');
  const pitch = ['u', 'v'].map((side) => quantity(within(json, 'detector', 'pixel_pitch', side), inMm));
  const pixels = ['columns', 'rows'].map((side) => quantity(within(json, 'detector', side), { px: 1 }) ?? 1);
  const reachMm = Math.hypot(...pixels.map((size, side) => (size * (pitch[side] ?? 0)) / 2));
  const circle = fitCircle(views, reachMm);
  if (!circle)
    throw malformed(
      'In the scenario nothing turns about the part: neither the stage, nor source and detector, by which a volume could be computed.',
    );
  const loosest = looseness * Math.min(...pitch.map((side) => side ?? Number.POSITIVE_INFINITY));
  const isDrifting = circle.offMm > loosest;
  const parallel = within(geometry, 'source', 'type') === 'parallel';
  if (isDrifting) {
    const heightMm = numberIn(pitch[1]) === undefined ? undefined : (pixels[1] ?? 1) * (pitch[1] ?? 0);
    checkDrift(circle, parallel, heightMm);
    if (statedCount === undefined) throw malformed(countMissing);
  }
  const binning = (side: 'u' | 'v') => quantity(within(acquisition, 'pixel_binning', side), {}) ?? 1;
  const { sourceToAxisMm, sourceToDetectorMm, ...place } = circle.description;
  return {
    beam: parallel ? 'parallel' : 'cone',
    ...(parallel ? {} : { sourceToAxisMm, sourceToDetectorMm }),
    pixelSizeMm:
      pitch[0] === undefined || pitch[1] === undefined
        ? undefined
        : [pitch[0] * binning('u'), pitch[1] * binning('v')],
    ...place,
    views: isDrifting ? views.map(describeView) : undefined,
    ...describeAngles(circle.anglesDeg, statedCount !== undefined, isFinalIncluded),
    projections: statedCount,
    flatLevel: quantity(within(json, 'detector', 'gray_value', 'imax'), {}),
    darkLevel: quantity(within(json, 'detector', 'gray_value', 'imin'), {}),
  };
}

const isFinitePose = ({ sourceMm, detector: { centerMm, axes } }: PosedView): boolean =>
  [sourceMm, centerMm, axes].flat(2).every(Number.isFinite);

const countMissing = 'The scenario does not say how many projections there are (number_of_projections).';

const describeView = ({ sourceMm, detector: { centerMm, axes } }: PosedView): View => ({
  sourceMm,
  detector: { centerMm, alongColumns: axes[0], alongRows: axes[1] },
});

/** @throws FormatError for a motion that is not a circle with drift */
function checkDrift(
  { offMm, riseMm, nearMm, description }: Circle,
  isParallel: boolean,
  detectorHeightMm: number | undefined,
): void {
  const format = (lengthMm: number) => `${Number(lengthMm.toPrecision(2))} mm`;
  const leaveOut = 'give the drift “known_to_reconstruction”: false to leave it out.';
  if (isParallel)
    throw unsupported(
      `In the scenario the detector leaves the circle about one axis by up to ${format(offMm)}. Drifts are read for a cone beam only; ${leaveOut}`,
    );
  const { sourceToAxisMm = 0, sourceToDetectorMm = 1 } = description;
  const seenMm = (detectorHeightMm ?? Number.POSITIVE_INFINITY) * (sourceToAxisMm / sourceToDetectorMm);
  if (riseMm > maxDrift * seenMm)
    throw unsupported(
      `In the scenario the source moves by ${format(riseMm)} along the axis, as on a helix. Scans on one circle are reconstructed, with drifts of up to a tenth of the height that the detector sees (${format(maxDrift * seenMm)}); ${leaveOut}`,
    );
  if (nearMm > maxDrift * sourceToAxisMm)
    throw unsupported(
      `In the scenario the distance of the source from the axis changes by ${format(nearMm)}. Scans on one circle are reconstructed, with drifts of up to a tenth of that distance (${format(maxDrift * sourceToAxisMm)}); ${leaveOut}`,
    );
}

/** Steps that differ by less are even. */
const evenDeg = 1e-6;

/** The part rotates opposite to the source. */
function describeAngles(anglesDeg: number[], isCountKnown: boolean, finalAngleIncluded: boolean) {
  const stepDeg = (anglesDeg.at(-1) ?? 0) / (anglesDeg.length - 1);
  const turntable = stepDeg > 0 ? ('clockwise' as const) : ('counterclockwise' as const);
  const totalAngleDeg = Math.abs(stepDeg) * (finalAngleIncluded ? anglesDeg.length - 1 : anglesDeg.length);
  const description = { firstAngleDeg: 0, totalAngleDeg, finalAngleIncluded, turntable };
  if (anglesDeg.every((angle, i) => Math.abs(angle - i * stepDeg) < evenDeg)) return description;
  if (!isCountKnown) throw malformed(countMissing);
  return { ...description, anglesDeg: anglesDeg.map((angle) => (stepDeg > 0 ? angle : -angle)) };
}

/** Corrected projections need none. */
function nameCorrection(images: unknown): string | undefined {
  const path = within(images, 'filename');
  return typeof path === 'string' && within(images, 'projections_corrected') !== true ? path : undefined;
}

function readDataType(name: unknown): DataType {
  if (typeof name === 'string' && Object.hasOwn(bytesPerVoxel, name)) return name as DataType;
  throw unsupported(
    `The metadata gives grey values of type ${JSON.stringify(name)?.slice(0, 40)}; ${Object.keys(bytesPerVoxel).join(', ')} are read.`,
  );
}

/** Describes the pictures; the scenario has the geometry. */
export function readCtsimuMetadata(json: Json): ScanDescription | undefined {
  const projections = within(json, 'output', 'projections');
  if (!isJson(projections)) return undefined;
  const [columns, rows] = ['x', 'y'].map((axis) =>
    quantity(within(projections, 'dimensions', axis), { px: 1 }),
  );
  const [width, height] = ['x', 'y'].map((axis) => quantity(within(projections, 'pixelsize', axis), inMm));
  const count = numberIn(projections['number']);
  const dataType = projections['datatype'];
  const byteOrder = projections['byteorder'];
  const path = projections['filename'];
  return {
    projections: count,
    files:
      typeof path === 'string'
        ? {
            projections: path,
            flats: nameCorrection(projections['flat_field']),
            darks: nameCorrection(projections['dark_field']),
          }
        : undefined,
    pixelSizeMm: width === undefined || height === undefined ? undefined : [width, height],
    flatLevel: numberIn(projections['max_intensity']),
    raw:
      columns && rows && count
        ? {
            dimensions: [columns, rows, count],
            ...(dataType === undefined ? {} : { dataType: readDataType(dataType) }),
            ...(byteOrder === 'little' || byteOrder === 'big' ? { byteOrder } : {}),
            headerBytes: numberIn(within(projections, 'headersize', 'file')) ?? 0,
          }
        : undefined,
  };
}
