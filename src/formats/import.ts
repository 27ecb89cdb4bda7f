import { bytesPerVoxel, type DataType, type Vector3 } from '#kernels/grid/volume.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { type ByteSource, readExactly } from './bytes/byte-source.ts';
import { incomplete, type MissingField, malformed, unsupported } from './format-error.ts';
import { readGlb } from './glb/read-glb.ts';
import { unmatchedEdges, weld, weldClose, withoutDegenerate } from './mesh/weld.ts';
import { metaImageHeader } from './metaimage/metaimage-header.ts';
import { niftiHeader } from './nifti/nifti-header.ts';
import { nrrdHeader } from './nrrd/nrrd-header.ts';
import { readObj } from './obj/read-obj.ts';
import { readPly } from './ply/read-ply.ts';
import { rawHeader } from './raw/raw-header.ts';
import { type CadFormat, type MeshFormat, type Recognised, recognise } from './recognise.ts';
import { readStl } from './stl/read-stl.ts';
import { read3mf } from './threemf/read-3mf.ts';
import { tiffHeader } from './tiff/tiff-header.ts';
import { mmPerUnit } from './units.ts';
import {
  checkedVoxelSize,
  type ImportHints,
  type OpenedVolume,
  openHeader,
  type VolumeFormat,
  type VolumeHeader,
} from './volume/volume-header.ts';

/** Meshes are read whole; larger files are refused. */
const maximumMeshBytes = 2 ** 31 - 1;

async function volumeHeader(found: Recognised & { content: 'volume' }): Promise<VolumeHeader> {
  const { hints, sources } = found;
  if (hints.voxelSizeMm) checkedVoxelSize(hints.voxelSizeMm, 'voxelSizeMm');
  const header = await readHeader(found);
  header.warnings.unshift(...found.warnings);
  // The form that asks for what is missing can show what the file hints at; what is known is no longer a hint.
  if (header.missing.length === 0) header.suggested = {};
  if (sources.length === 0) throw malformed('There is no file.');
  return header;
}

async function readHeader({
  format,
  hints,
  sources,
  gzipped,
}: Recognised & { content: 'volume' }): Promise<VolumeHeader> {
  switch (format) {
    case 'nrrd':
      return nrrdHeader(sources, hints);
    case 'metaimage':
      return metaImageHeader(sources, hints);
    case 'tiff':
      return tiffHeader(sources, hints);
    case 'nifti':
      return niftiHeader(sources[0], hints, gzipped);
    case 'raw':
      return rawHeader(sources[0], hints, gzipped);
  }
}

/**
 * Opens a volume in one or several files (or one ZIP) for reading slab by slab; grey values are read only when slabs
 * are asked for, so an error in them appears there, as a FormatError too.
 *
 * @throws FormatError, INPUT_INCOMPLETE with `missing` when hints have to be given
 */
export async function openVolume(
  sources: readonly ByteSource[],
  hints: ImportHints = {},
): Promise<OpenedVolume> {
  const found = await recognise(sources, hints);
  if (found.content !== 'volume')
    throw unsupported(`${sources[0].name} is a ${found.content} (${found.format}), not a volume.`);
  return openHeader(await volumeHeader(found), found.sources[0].name);
}

export interface OpenedMesh {
  format: MeshFormat;
  /** in mm, welded, without triangles that name a vertex twice */
  mesh: TriangleMesh;
  warnings: string[];
}

/**
 * Reads a mesh whole. STL, PLY and OBJ carry no unit, so `hints.unit` must be given for them.
 *
 * @throws FormatError, INPUT_INCOMPLETE with `missing: ['unit']` when the unit has to be given
 */
export async function openMesh(sources: readonly ByteSource[], hints: ImportHints = {}): Promise<OpenedMesh> {
  const found = await recognise(sources, hints);
  if (found.content !== 'mesh')
    throw unsupported(`${sources[0].name} is a ${found.content} (${found.format}), not a mesh.`);
  const source = found.sources[0];
  const { format, warnings } = found;
  const unitless = format === 'stl' || format === 'ply' || format === 'obj';
  if (unitless && !hints.unit) {
    throw incomplete(`${source.name} does not say in which unit its lengths are; supply unit.`, ['unit']);
  }
  if (source.size > maximumMeshBytes) {
    throw unsupported(
      `${source.name} has ${source.size} bytes; meshes beyond 2 GiB are not read: reduce the triangles.`,
    );
  }
  const mm = hints.unit ? mmPerUnit[hints.unit] : 1;
  const bytes = await readExactly(source, 0, source.size, 'the mesh');
  const { mesh, removed } = withoutDegenerate(
    joined(await readMesh(format, source, bytes, mm), source.name, warnings),
  );
  if (removed > 0) warnings.push(`${removed} triangles of ${source.name} have no area and were left out.`);
  if (mesh.indices.length === 0) throw malformed(`${source.name} has no triangle with an area.`);
  return { format, mesh, warnings };
}

async function readMesh(
  format: MeshFormat,
  source: ByteSource,
  bytes: Uint8Array,
  mm: number,
): Promise<TriangleMesh> {
  switch (format) {
    case 'stl':
      return readStl(bytes, mm, source.name);
    case 'ply':
      return readPly(bytes, mm, source.name);
    case 'obj':
      return readObj(bytes, mm, source.name);
    case 'glb':
      return readGlb(bytes);
    case '3mf':
      return read3mf(source);
  }
}

/**
 * Vertices of equal position joined: exporters split them along sharp edges for shading, and then no edge would have
 * two sides. Meshes with measured values stay as they are, since values of split vertices may differ. When open edges
 * remain and joining within the rounding of 32-bit numbers closes some, that is done too.
 */
function joined(read: TriangleMesh, where: string, warnings: string[]): TriangleMesh {
  if (read.scalars) return read;
  const exact = weld({ positions: read.positions, indices: read.indices });
  const sameVertices = exact.positions.length === read.positions.length;
  const mesh = sameVertices ? read : exact;
  const open = unmatchedEdges(mesh);
  if (open === 0) return mesh;
  const largest = exact.positions.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const toleranceMm = largest * 2 ** -20;
  const close = weldClose(exact, toleranceMm);
  const stillOpen = unmatchedEdges(withoutDegenerate(close).mesh);
  if (stillOpen >= open) return mesh;
  warnings.push(
    `${open - stillOpen} open edges of ${where} were closed by joining vertices within ${toleranceMm.toPrecision(2)} mm.`,
  );
  return close;
}

export interface Estimate {
  content: 'volume' | 'mesh' | 'cad' | 'radiographs';
  format: VolumeFormat | MeshFormat | CadFormat;
  dimensions?: Vector3;
  dataType?: DataType;
  voxelSizeMm?: Vector3;
  /** bytes of the grey values or of the mesh file, unpacked */
  bytes: number;
  /** most memory that ingest will take */
  memoryBytes: number;
  /** time of ingest on two cores, without the upload */
  seconds: number;
  /** fields that have to be supplied */
  missing: MissingField[];
  suggested: Record<string, unknown>;
  warnings: string[];
}

/** Measured on two cores; estimates are meant to be right within a factor of two. */
const plainBytesPerSecond = 120e6;
const compressedBytesPerSecond = 60e6;
const meshBytesPerSecond = 25e6;
const baseBytes = 256 << 20;
const slabPlanes = 64;

/**
 * What an import will take, from the headers alone; also in the browser, where a `File` gives its parts without
 * being read whole. Missing fields are told, not thrown.
 *
 * @throws FormatError MALFORMED or UNSUPPORTED when the files cannot be read at all
 */
export async function estimate(sources: readonly ByteSource[], hints: ImportHints = {}): Promise<Estimate> {
  const found = await recognise(sources, hints);
  const fileBytes = found.sources.reduce((sum, source) => sum + source.size, 0);
  if (found.content !== 'volume') {
    const unitless = ['stl', 'ply', 'obj'].includes(found.format) && !hints.unit;
    return {
      content: found.content,
      format: found.format,
      bytes: fileBytes,
      memoryBytes: baseBytes + 6 * fileBytes,
      seconds: 1 + fileBytes / meshBytesPerSecond,
      missing: unitless ? ['unit'] : [],
      suggested: {},
      warnings: found.warnings,
    };
  }
  const header = await volumeHeader(found);
  const { dimensions, dataType } = header;
  const plane = dimensions && dataType ? dimensions[0] * dimensions[1] * bytesPerVoxel[dataType] : 0;
  const bytes = dimensions && plane > 0 ? plane * dimensions[2] : fileBytes;
  const compressed = fileBytes < 0.95 * bytes || found.gzipped;
  return {
    content: 'volume',
    format: header.format,
    dimensions,
    dataType,
    voxelSizeMm: header.voxelSizeMm,
    bytes,
    memoryBytes: baseBytes + header.workingBytes + 3 * plane * Math.min(slabPlanes, dimensions?.[2] ?? 1),
    seconds: 2 + bytes / (compressed ? compressedBytesPerSecond : plainBytesPerSecond),
    missing: header.missing,
    suggested: header.suggested,
    warnings: header.warnings,
  };
}
