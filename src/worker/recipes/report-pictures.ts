/** The pictures of a report: the part's surface, plain or coloured by what was measured on it, and a slice of the scan. */
import { writePng } from '#formats/png/write-png.ts';
import { type ColorMapName, colorIndex, colorMap } from '#kernels/color/maps.ts';
import { boundsOf, vertexAreasAndNormals } from '#kernels/color/vertex-areas.ts';
import { autoRange, scalarStatistics } from '#kernels/color/weighted-histogram.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import { openVolumeReader } from '#storage/volumes/volume-reader.ts';
import { meshPicture } from '../pictures/mesh-picture.ts';
import { middlePlane, slicePicture } from '../pictures/slice-picture.ts';
import { readShownSurface } from '../shown-surface.ts';
import type { DataObjectRow, StepResult } from './run-results.ts';

export interface ReportPicture {
  png: Uint8Array;
  /** width through height */
  aspect: number;
  caption: string;
  legend?: { map: ColorMapName; minimum: number; maximum: number; unit: string };
}

const MESH_PIXELS = 720;
const SLICE_PIXELS = 640;
/** Larger surfaces would hold the process up for seconds; the report does without. */
const MAX_MESH_BYTES = 160 * 1024 * 1024;

const scalarWords: Record<string, { caption: string; unit: string; signed: boolean; map?: ColorMapName }> = {
  grayValue: { caption: 'Grey value under the surface', unit: '', signed: false, map: 'gray' },
  curvature: { caption: 'Mean curvature', unit: '1/mm', signed: true },
  ambientOcclusion: { caption: 'Openness of the surface', unit: '', signed: false, map: 'gray' },
  thicknessMm: { caption: 'Wall thickness', unit: 'mm', signed: false },
  deviationMm: { caption: 'Deviation from the reference', unit: 'mm', signed: true },
};

/** The surface that a step made; undefined when it made none, or one that is too large to draw. */
export async function surfacePicture(
  store: BlobStore,
  { dataObjects, title }: Pick<StepResult, 'dataObjects' | 'title'>,
): Promise<ReportPicture | undefined> {
  const file = dataObjects
    .flatMap(({ files }) => files)
    .find(({ fileName, sizeBytes }) => fileName.endsWith('.glb') && sizeBytes <= MAX_MESH_BYTES);
  if (!file) return undefined;
  const { mesh } = await readShownSurface(await store.read(file.blobKey));
  if (mesh.indices.length === 0) return undefined;
  const [name] = Object.keys(mesh.scalars ?? {}).filter((each) => each in scalarWords);
  const values = mesh.scalars?.[name];
  const { min, max } = boundsOf(mesh.positions);
  const sizeMm = min.map((low, axis) => (max[axis] - low).toPrecision(3)).join(' × ');
  const colored = values && colorsOf(mesh, values, scalarWords[name]);
  const png = writePng(meshPicture(mesh, MESH_PIXELS, colored?.colors));
  if (!colored) return { png, aspect: 1, caption: `${title}: the surface, ${sizeMm} mm` };
  const { caption, unit } = scalarWords[name];
  const { map, range } = colored;
  return {
    png,
    aspect: 1,
    caption: `${caption} on the surface, ${sizeMm} mm`,
    legend: { map, minimum: range[0], maximum: range[1], unit },
  };
}

function colorsOf(
  mesh: TriangleMesh,
  values: Float32Array,
  { signed, map: wanted }: (typeof scalarWords)[string],
) {
  const statistics = scalarStatistics(values, vertexAreasAndNormals(mesh).vertexAreasMm2);
  if (!statistics) return undefined;
  const range = autoRange(statistics, signed);
  const map: ColorMapName = wanted ?? (signed ? 'coolwarm' : 'viridis');
  const table = colorMap(map);
  const colors = new Uint8Array(values.length * 3);
  for (const [vertex, value] of values.entries()) {
    const entry = colorIndex(value, range[0], range[1]);
    if (entry < 0) colors.fill(150, 3 * vertex, 3 * vertex + 3);
    else colors.set(table.subarray(3 * entry, 3 * entry + 3), 3 * vertex);
  }
  return { colors, map, range };
}

/** The middle plane of the scan that the recipe worked on, from a level that is just large enough. */
export async function scanPicture(
  store: BlobStore,
  volume: DataObjectRow,
): Promise<ReportPicture | undefined> {
  if (!volume.volumeKey) return undefined;
  const reader = await openVolumeReader(store, volume.volumeKey);
  const { levels } = reader.meta;
  const large = levels.findLastIndex(
    ({ dimensions }) => Math.max(dimensions[0], dimensions[1]) >= SLICE_PIXELS,
  );
  const level = Math.max(0, large);
  const { dimensions, voxelSizeMm } = levels[level];
  const plane = await reader.readPlane(level, 'z', middlePlane(dimensions));
  const picture = slicePicture(
    plane.data,
    [plane.width, plane.height],
    [voxelSizeMm[0], voxelSizeMm[1]],
    SLICE_PIXELS,
  );
  const full = levels[0];
  return {
    png: writePng(picture),
    aspect: picture.width / picture.height,
    caption: `Middle slice of “${volume.name}”, ${full.dimensions.join(' × ')} voxels of ${full.voxelSizeMm
      .map((size) => Number(size.toPrecision(3)))
      .join(' × ')} mm`,
  };
}
