/** Reads JSON descriptions of a scan geometry: our own format, or CTSimU's. */
import type { Vector3 } from '#kernels/grid/volume.ts';
import { malformed } from '../format-error.ts';
import { readCtsimuMetadata, readCtsimuScenario } from './read-ctsimu.ts';
import { isJson, type Json, numberIn, type ScanDescription } from './scan-description.ts';

/** The description in a JSON text; undefined when it is something else. */
export function readScanDescription(text: string): ScanDescription | undefined {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isJson(value)) return undefined;
  const file = isJson(value['file']) ? value['file'] : {};
  if (file['file_type'] === 'CTSimU Scenario') return readCtsimuScenario(value);
  if (file['file_type'] === 'CTSimU Metadata') return readCtsimuMetadata(value);
  return readOwn(value);
}

type Pair = [number, number];

/** Flat, or with the geometry in an object as in our data objects. */
function readOwn(value: Json): ScanDescription | undefined {
  const all: Json = { ...value, ...(isJson(value['geometry']) ? value['geometry'] : {}) };
  const number = (...names: string[]) => {
    for (const name of names) {
      const found = numberIn(all[name]);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  const choice = <Word extends string>(name: string, words: readonly Word[]): Word | undefined =>
    words.find((word) => word === all[name]);
  const numbers = (name: string, length?: number) => {
    const list = all[name];
    return Array.isArray(list) &&
      list.every((each) => numberIn(each) !== undefined) &&
      (length ?? list.length) === list.length
      ? (list as number[])
      : undefined;
  };
  const pixel = numberIn(all['pixelSizeMm']);
  const pair = numbers('pixelSizeMm', 2) as Pair | undefined;
  const anglesDeg = numbers('anglesDeg');
  const detector = numbers('detector', 2) as Pair | undefined;
  const projections = number('projections');
  const sourceToAxisMm = number('sourceToAxisMm', 'sourceToObjectMm');
  const sourceToDetectorMm = number('sourceToDetectorMm');
  const known = sourceToAxisMm ?? sourceToDetectorMm ?? choice('beam', beams) ?? anglesDeg;
  if (known === undefined && number('totalAngleDeg') === undefined) return undefined;
  const pose = isJson(all['detectorPose']) ? all['detectorPose'] : undefined;
  const axis = (name: string): Vector3 => {
    const value = pose?.[name];
    if (Array.isArray(value) && value.length === 3 && value.every((each) => numberIn(each) !== undefined))
      return value as Vector3;
    throw malformed(`The geometry’s detectorPose needs three numbers for ${name}.`);
  };
  return {
    beam: choice('beam', beams) ?? (sourceToDetectorMm === undefined ? undefined : 'cone'),
    sourceToAxisMm,
    sourceToDetectorMm,
    pixelSizeMm: pair ? [...pair] : pixel === undefined ? undefined : [pixel, pixel],
    totalAngleDeg: number('totalAngleDeg') ?? (anglesDeg ? 0 : undefined),
    firstAngleDeg: number('firstAngleDeg'),
    finalAngleIncluded:
      typeof all['finalAngleIncluded'] === 'boolean' ? all['finalAngleIncluded'] : undefined,
    anglesDeg,
    turntable: choice('turntable', ['counterclockwise', 'clockwise']),
    firstRow: choice('firstRow', ['top', 'bottom']),
    mirrored: all['mirrored'] === true ? true : undefined,
    detectorOffsetMm: numbers('detectorOffsetMm', 2) as Pair | undefined,
    sourceAngleDeg: number('sourceAngleDeg'),
    sourceHeightMm: number('sourceHeightMm'),
    detectorPose: pose && {
      centerMm: axis('centerMm'),
      alongColumns: axis('alongColumns'),
      alongRows: axis('alongRows'),
    },
    flatLevel: number('flatLevel'),
    darkLevel: number('darkLevel'),
    values: choice('values', ['counts', 'lineIntegrals']),
    raw:
      detector && projections !== undefined
        ? {
            dimensions: [...detector, projections],
            ...(choice('dataType', dataTypes) ? { dataType: choice('dataType', dataTypes) } : {}),
            ...(choice('byteOrder', ['little', 'big'])
              ? { byteOrder: choice('byteOrder', ['little', 'big']) }
              : {}),
          }
        : undefined,
  };
}

const beams = ['cone', 'fan', 'parallel'] as const;
const dataTypes = ['uint8', 'int8', 'uint16', 'int16', 'uint32', 'int32', 'float32', 'float64'] as const;

/** A list of angles in a text file: one number per line or word. */
export function readAngles(text: string): number[] | undefined {
  const words = text.split(/[\s,;]+/).filter((word) => word !== '');
  const numbers = words.map(Number);
  return numbers.length > 1 && numbers.every(Number.isFinite) ? numbers : undefined;
}
