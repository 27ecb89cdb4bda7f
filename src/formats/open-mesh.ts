import { mapVector } from '#kernels/grid/volume.ts';
import { measureBounds } from '#kernels/mesh/bounds.ts';
import { keepUsedVertices } from '#kernels/mesh/keep-used-vertices.ts';
import { countOpenSides, explainOpenSides } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { orientOutwards } from '#kernels/mesh/orient.ts';
import { weld, weldClose, withoutDegenerate } from '#kernels/mesh/weld.ts';
import { type ByteSource, nameSources } from './bytes/byte-source.ts';
import { incomplete, malformed, unsupported } from './format-error.ts';
import { describeOpen, requireNumbers } from './mesh/check-mesh.ts';
import { questionSize } from './part-size.ts';
import { recognise } from './recognise.ts';
import { type MeshFormatId, meshFormats } from './registry.ts';
import { mmPerUnit } from './units.ts';
import type { ImportHints } from './volume/volume-header.ts';

/** Meshes are read as a whole; larger files are refused. */
const maximumMeshBytes = 2 ** 31 - 1;

export interface OpenedMesh {
  format: MeshFormatId;
  /** in mm, welded, facing outwards, without degenerate triangles */
  mesh: TriangleMesh;
  warnings: string[];
}

/**
 * Reads a whole mesh. STL, PLY and OBJ have no unit, so `hints.unit` is required for them.
 *
 * @throws FormatError, INPUT_INCOMPLETE when the unit is missing or an unlikely size has to be confirmed
 */
export async function openMesh(sources: readonly ByteSource[], hints: ImportHints = {}): Promise<OpenedMesh> {
  const found = await recognise(sources, hints);
  if (found.content !== 'mesh')
    throw unsupported(`${nameSources(sources)} is a ${found.content} (${found.format}), not a mesh.`);
  const source = found.sources[0];
  const where = source.name;
  const format = meshFormats[found.format];
  if (!format.hasUnit && !hints.unit) throw incomplete(where, ['unit']);
  if (source.size > maximumMeshBytes) {
    throw unsupported(
      `${where} has ${source.size} bytes; meshes beyond 2 GiB are not read: reduce the triangles.`,
    );
  }
  const read = await format.open(source, hints.unit ? mmPerUnit[hints.unit] : 1);
  requireNumbers(read.positions, where);
  if (await namesRas(source)) turnFromRas(read);
  const warnings = [...found.warnings];
  const { mesh: whole, removed } = withoutDegenerate(joinVertices(read, where, warnings));
  if (removed > 0) warnings.push(`${removed} triangles of ${where} have no area and were left out.`);
  if (whole.indices.length === 0) throw malformed(`${where} has no triangle with an area.`);
  const used = keepUsedVertices(whole, whole.indices);
  const { min, max } = measureBounds(used.positions);
  const question = questionSize(
    mapVector(max, (high, axis) => high - min[axis]),
    hints,
    format.hasUnit ? {} : { unit: hints.unit },
  );
  if (question) throw incomplete(where, question.missing, question.suggested);
  const { mesh, warnings: turned } = orientOutwards(used, where);
  const open = explainOpenSides(countOpenSides(mesh.positions.length / 3, mesh.indices));
  if (open) warnings.push(describeOpen(where, open));
  return { format: found.format, mesh, warnings: [...warnings, ...turned] };
}

/** Where 3D Slicer and others state the space of a mesh: a comment, or the header of an STL. */
async function namesRas(source: ByteSource): Promise<boolean> {
  const head = await source.read(0, 2048);
  return /\bSPACE\s*=\s*RAS\b/.test(new TextDecoder('latin1').decode(head));
}

/** Half a turn about z: RAS to LPS, in place. */
function turnFromRas({ positions, normals = new Float32Array(0) }: TriangleMesh): void {
  for (const vectors of [positions, normals]) {
    for (const [i, value] of vectors.entries()) if (i % 3 < 2) vectors[i] = 0 - value;
  }
}

function countUnmatchedEdges({ positions, indices }: TriangleMesh): number {
  const { open, crowded } = countOpenSides(positions.length / 3, indices);
  return open + crowded;
}

/**
 * Joins vertices at equal positions: exporters split them along sharp edges for shading, which would leave all edges
 * open. Meshes with measured values are unchanged, since values of split vertices may differ. If open edges remain and
 * joining within the rounding of 32-bit floats closes some, that is done too.
 */
function joinVertices(read: TriangleMesh, where: string, warnings: string[]): TriangleMesh {
  if (read.scalars) return read;
  const exact = weld({ positions: read.positions, indices: read.indices });
  const sameVertices = exact.positions.length === read.positions.length;
  const mesh = sameVertices ? read : exact;
  const open = countUnmatchedEdges(mesh);
  if (open === 0) return mesh;
  const largest = exact.positions.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
  const toleranceMm = largest * 2 ** -20;
  const close = weldClose(exact, toleranceMm);
  const stillOpen = countUnmatchedEdges(withoutDegenerate(close).mesh);
  if (stillOpen >= open) return mesh;
  const closed = open - stillOpen;
  warnings.push(
    `${closed} open ${closed === 1 ? 'edge' : 'edges'} of ${where} ${closed === 1 ? 'was' : 'were'} closed by joining vertices within ${toleranceMm.toPrecision(2)} mm.`,
  );
  return close;
}
