/**
 * Faces of a CAD file as triangles in mm. Open CASCADE (occt-import-js, WebAssembly) reads the file; the caller
 * provides the loaded module.
 */
import { measureBounds } from '#kernels/mesh/bounds.ts';
import { sumFaces } from '#kernels/mesh/face-sums.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { weld } from '#kernels/mesh/weld.ts';
import { malformed } from '../format-error.ts';
import { requireNumbers } from '../mesh/check-mesh.ts';
import { checkCad } from './check-cad.ts';

export type CadFileFormat = 'step' | 'iges';

interface OcctMesh {
  name: string;
  attributes: { position: { array: ArrayLike<number> } };
  index: { array: ArrayLike<number> };
  /** first and last triangle of each face */
  brep_faces: { first: number; last: number }[];
}
interface OcctParameters {
  linearUnit: 'millimeter';
  linearDeflectionType: 'absolute_value' | 'bounding_box_ratio';
  linearDeflection: number;
  angularDeflection: number;
}
type OcctRead = (
  content: Uint8Array,
  parameters: OcctParameters,
) => { success: boolean; meshes?: OcctMesh[] };
/** The part of occt-import-js that is used. @see https://github.com/kovacsv/occt-import-js */
export interface OcctModule {
  ReadStepFile: OcctRead;
  ReadIgesFile: OcctRead;
}

export interface CadModel {
  /** in mm; bodies one after the other, each closed by shared vertices, triangles in the order of the faces */
  mesh: TriangleMesh;
  /** face index of each triangle, from 0, over all bodies */
  faces: Uint32Array;
  /** name of the body of each face in the file; '' = unnamed */
  faceNames: string[];
  bodies: number;
  /**
   * number of faces defined in a STEP file, each of which may be placed several times; if `faceNames` has fewer, some
   * could not be read
   */
  definedFaces: number | null;
  /** largest distance between the triangles and the exact surface, in mm */
  deflectionMm: number;
  /** unit of the file itself; this model is in mm */
  unit: string | null;
}

/** Angle between neighbouring triangles of a curved face, in radians. */
const angularDeflection = 0.25;
/** Default deflection as a share of the mean extent. */
const usualDeflection = 2e-4;
const coarse = 0.02;

/**
 * Reads a STEP (AP203, AP214, AP242) or IGES file with all bodies of an assembly in place.
 * @param deflectionMm fineness of curved faces; default: from the size of the part
 * @throws FormatError MALFORMED when it cannot be read or has no surface
 */
export function readCad(
  occt: OcctModule,
  format: CadFileFormat,
  bytes: Uint8Array,
  name: string,
  deflectionMm?: number,
): CadModel {
  const read = (linearDeflectionType: OcctParameters['linearDeflectionType'], linearDeflection: number) => {
    const parameters: OcctParameters = {
      linearUnit: 'millimeter',
      linearDeflectionType,
      linearDeflection,
      angularDeflection,
    };
    const what = format === 'step' ? 'STEP' : 'IGES';
    let result: ReturnType<OcctRead>;
    try {
      result =
        format === 'step' ? occt.ReadStepFile(bytes, parameters) : occt.ReadIgesFile(bytes, parameters);
    } catch (cause) {
      throw malformed(`${name} can’t be read as ${what}: its geometry breaks the reader.`, cause);
    }
    if (!result.success) {
      throw malformed(
        `${name} can’t be read as ${what}: the file is cut off, or breaks the rules of its schema. Export it again.`,
      );
    }
    const meshes = (result.meshes ?? []).filter(({ index }) => index.array.length > 0);
    if (meshes.length === 0) {
      throw malformed(`${name} has no surfaces: curves, points and drawings alone can’t be compared with.`);
    }
    return meshes;
  };
  const unit = readUnit(format, bytes);
  const { definedFaces } = checkCad(format, bytes, name, unit);
  let wanted = deflectionMm;
  if (wanted === undefined) {
    const extent = measureMeanExtent(read('bounding_box_ratio', coarse));
    wanted = extent * usualDeflection;
  }
  if (!(wanted > 0 && Number.isFinite(wanted))) throw malformed(`${name} has no extent.`);
  const model = joined(read('absolute_value', wanted));
  requireNumbers(model.mesh.positions, name);
  return { ...model, definedFaces, deflectionMm: wanted, unit };
}

/**
 * Bound for the volume error of a triangulated model: curved faces are off by at most the deflection, flat ones are
 * exact.
 */
export function boundVolumeDeviation({ mesh, faces, deflectionMm }: CadModel): number {
  const { positions, indices } = mesh;
  const sums = sumFaces(positions, indices, faces);
  // The triangle areas of a flat face add up to the length of the sum of its normals.
  const curved = sums.filter(({ area, normal }) => Math.hypot(...normal) < area * (1 - 1e-6));
  return deflectionMm * curved.reduce((total, { area }) => total + area, 0);
}

function measureMeanExtent(meshes: OcctMesh[]): number {
  const boxes = meshes.map(({ attributes }) => measureBounds(attributes.position.array));
  const { min, max } = measureBounds(boxes.flatMap((box) => [...box.min, ...box.max]));
  return (max[0] - min[0] + (max[1] - min[1]) + (max[2] - min[2])) / 3;
}

/** Bodies one after the other, without zero-area triangles. */
function joined(meshes: OcctMesh[]) {
  const positions: Float32Array[] = [];
  const indices: number[] = [];
  const faces: number[] = [];
  const faceNames: string[] = [];
  let vertices = 0;
  for (const { name, attributes, index, brep_faces } of meshes) {
    const body = weld({
      positions: Float32Array.from(attributes.position.array),
      indices: Uint32Array.from(index.array),
    });
    const triangles = body.indices.length / 3;
    const ranges = brep_faces.length > 0 ? brep_faces : [{ first: 0, last: triangles - 1 }];
    for (const { first, last } of ranges) {
      for (let t = Math.max(0, first); t <= Math.min(last, triangles - 1); t++) {
        const [a = 0, b = 0, c = 0] = body.indices.subarray(3 * t, 3 * t + 3);
        if (a === b || b === c || c === a) continue;
        indices.push(vertices + a, vertices + b, vertices + c);
        faces.push(faceNames.length);
      }
      faceNames.push(name);
    }
    positions.push(body.positions);
    vertices += body.positions.length / 3;
  }
  const all = new Float32Array(3 * vertices);
  let at = 0;
  for (const part of positions) {
    all.set(part, at);
    at += part.length;
  }
  return {
    mesh: { positions: all, indices: Uint32Array.from(indices) },
    faces: Uint32Array.from(faces),
    faceNames,
    bodies: meshes.length,
  };
}

const prefixes: Record<string, string> = { $: 'm', '.MILLI.': 'mm', '.CENTI.': 'cm', '.MICRO.': 'µm' };

/** The unit of length stated in the file; null when not found. The reader converts to mm itself. */
function readUnit(format: CadFileFormat, bytes: Uint8Array): string | null {
  const text = new TextDecoder('latin1').decode(bytes.subarray(0, 64 << 20));
  if (format === 'step') {
    const named = /CONVERSION_BASED_UNIT\s*\(\s*'\s*(INCH|IN|FOOT|FT|MIL|YARD)\s*'/i.exec(text);
    const unit = named?.[1]?.toLowerCase();
    if (unit) return { in: 'inch', ft: 'foot' }[unit] ?? unit;
    const si = /SI_UNIT\s*\(\s*(?:\*\s*,\s*)?(\$|\.[A-Z]+\.)\s*,\s*\.METRE\.\s*\)/.exec(text);
    return prefixes[si?.[1] ?? ''] ?? null;
  }
  const global = text
    .split(/\r?\n/)
    .filter((line) => line[72] === 'G')
    .map((line) => line.slice(0, 72))
    .join('');
  const found = /\dH(MM|INCH|IN|FT|CM|M|MIL|UM|UIN)[,;]/.exec(global);
  const words: Record<string, string> = { IN: 'inch', INCH: 'inch', FT: 'foot', UM: 'µm', UIN: 'µinch' };
  const unit = found?.[1];
  return unit ? (words[unit] ?? unit.toLowerCase()) : null;
}
