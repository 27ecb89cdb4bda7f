/**
 * CTSimU scenario and metadata files (file formats 1.0 to 1.2).
 * @see https://bamresearch.github.io/ctsimu-scenarios/
 */
import type { DataType, Vector3 } from '#kernels/grid/volume.ts';
import { malformed, unsupported } from '../format-error.ts';
import { isJson, type Json, numberIn, type ScanDescription } from './scan-description.ts';

const inMm: Record<string, number> = { mm: 1, cm: 10, m: 1000, um: 1e-3, µm: 1e-3 };
const inDegrees: Record<string, number> = { deg: 1, rad: 180 / Math.PI };

/** `{value, unit}` in mm or degrees; a number alone as it is. */
function quantity(value: unknown, units: Record<string, number>): number | undefined {
  if (!isJson(value)) return numberIn(value);
  const number = numberIn(value['value']);
  if (number === undefined) return undefined;
  const unit = value['unit'];
  if (unit === undefined || unit === null) return number;
  const factor = units[String(unit)];
  if (factor === undefined)
    throw unsupported(`The geometry has a value in ${String(unit)}, which is not read.`);
  return number * factor;
}

const within = (value: unknown, ...path: string[]): unknown =>
  path.reduce<unknown>((inner, name) => (isJson(inner) ? inner[name] : undefined), value);

function vector(value: unknown, what: string): Vector3 {
  const numbers = ['x', 'y', 'z'].map((axis) => quantity(within(value, axis), inMm));
  if (numbers.some((number) => number === undefined))
    throw malformed(`The geometry does not say ${what} along x, y and z.`);
  return numbers as Vector3;
}

const dot = (a: Vector3, b: Vector3) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const cross = (a: Vector3, b: Vector3): Vector3 => [
  a[1] * b[2] - a[2] * b[1],
  a[2] * b[0] - a[0] * b[2],
  a[0] * b[1] - a[1] * b[0],
];
const minus = (a: Vector3, b: Vector3): Vector3 => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const times = (a: Vector3, factor: number): Vector3 => [a[0] * factor, a[1] * factor, a[2] * factor];
const unit = (a: Vector3): Vector3 => times(a, 1 / Math.hypot(...a));

interface Frame {
  center: Vector3;
  u: Vector3;
  v: Vector3;
  w: Vector3;
}

/** An object's place with those deviations that a reconstruction may know of. */
function frameOf(value: unknown, name: string): Frame {
  let center = vector(within(value, 'center'), `where the ${name} is`);
  let u = unit(vector(within(value, 'vector_u'), `how the ${name} lies (vector_u)`));
  let w = unit(vector(within(value, 'vector_w'), `how the ${name} lies (vector_w)`));
  const deviations = within(value, 'deviations');
  for (const deviation of Array.isArray(deviations) ? deviations : []) {
    if (!isJson(deviation) || deviation['known_to_reconstruction'] === false) continue;
    const axisName = String(deviation['axis']);
    const local: Record<string, Vector3> = {
      x: [1, 0, 0],
      y: [0, 1, 0],
      z: [0, 0, 1],
      u,
      v: cross(w, u),
      w,
    };
    const axis = local[axisName];
    const isTurn = deviation['type'] === 'rotation';
    const amount = quantity(deviation['amount'], isTurn ? inDegrees : inMm);
    if (!axis || amount === undefined || isJson(within(deviation, 'amount', 'drifts'))) {
      throw unsupported(
        `The ${name} deviates in a way that is not read (${String(deviation['type'])} about ${axisName}).`,
      );
    }
    if (isTurn) [u, w] = [turned(u, axis, amount), turned(w, axis, amount)];
    else center = minus(center, times(axis, -amount));
  }
  return { center, u, v: cross(w, u), w };
}

/** Rodrigues. */
function turned(a: Vector3, axis: Vector3, angleDeg: number): Vector3 {
  const [cos, sin] = [Math.cos((angleDeg * Math.PI) / 180), Math.sin((angleDeg * Math.PI) / 180)];
  const [along, across] = [dot(axis, a) * (1 - cos), cross(axis, a)];
  return [0, 1, 2].map((k) => a[k] * cos + across[k] * sin + axis[k] * along) as Vector3;
}

/** The scanner as it stands in the world, told in the frame that turns with the scan. */
export function readCtsimuScenario(json: Json): ScanDescription {
  const geometry = json['geometry'];
  const detector = frameOf(within(geometry, 'detector'), 'detector');
  const stage = frameOf(within(geometry, 'stage'), 'stage');
  const source = vector(within(geometry, 'source', 'center'), 'where the source is');
  const kind = within(geometry, 'source', 'type');
  const parallel = kind === 'parallel';
  const fromStage = minus(source, stage.center);
  const sourceHeightMm = dot(fromStage, stage.w);
  const toSource = minus(fromStage, times(stage.w, sourceHeightMm));
  const sourceToAxisMm = Math.hypot(...toSource);
  if (!(sourceToAxisMm > 0)) throw malformed('The geometry puts the source on the axis of rotation.');
  const x = unit(toSource);
  const y = cross(stage.w, x);
  const inFrame = (a: Vector3): Vector3 => [dot(a, x), dot(a, y), dot(a, stage.w)];
  const foot = minus(source, toSource);
  const centerMm = inFrame(minus(detector.center, foot));
  const acquisition = json['acquisition'];
  const start = quantity(within(acquisition, 'start_angle'), inDegrees) ?? 0;
  const stop = quantity(within(acquisition, 'stop_angle'), inDegrees) ?? 360;
  const binning = [within(acquisition, 'pixel_binning', 'u'), within(acquisition, 'pixel_binning', 'v')].map(
    (value) => quantity(value, {}) ?? 1,
  );
  const pitch = ['u', 'v'].map((side) => quantity(within(json, 'detector', 'pixel_pitch', side), inMm));
  return {
    beam: parallel ? 'parallel' : 'cone',
    sourceToAxisMm: parallel ? undefined : sourceToAxisMm,
    sourceToDetectorMm: parallel ? undefined : sourceToAxisMm - centerMm[0],
    pixelSizeMm:
      pitch[0] === undefined || pitch[1] === undefined
        ? undefined
        : [pitch[0] * binning[0], pitch[1] * binning[1]],
    firstAngleDeg: start,
    totalAngleDeg: stop - start,
    finalAngleIncluded: within(acquisition, 'include_final_angle') === true,
    turntable: within(acquisition, 'direction') === 'CW' ? 'clockwise' : 'counterclockwise',
    sourceAngleDeg: (Math.atan2(dot(x, stage.v), dot(x, stage.u)) * 180) / Math.PI,
    sourceHeightMm,
    detectorPose: { centerMm, alongColumns: inFrame(detector.u), alongRows: inFrame(detector.v) },
    flatLevel: quantity(within(json, 'detector', 'gray_value', 'imax'), {}),
    darkLevel: quantity(within(json, 'detector', 'gray_value', 'imin'), {}),
  };
}

/** What the pictures are; where they were taken stands in the scenario. */
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
  return {
    pixelSizeMm: width === undefined || height === undefined ? undefined : [width, height],
    flatLevel: numberIn(projections['max_intensity']),
    raw:
      columns && rows && count
        ? {
            dimensions: [columns, rows, count],
            ...(typeof dataType === 'string' ? { dataType: dataType as DataType } : {}),
            ...(byteOrder === 'little' || byteOrder === 'big' ? { byteOrder } : {}),
            headerBytes: numberIn(within(projections, 'headersize', 'file')) ?? 0,
          }
        : undefined,
  };
}
