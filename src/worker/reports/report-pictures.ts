/** The pictures of a report: the part's surface, plain or coloured by what was measured on it, and a slice of the scan. */

import { findSurface, listScalars } from '#contract/analyses/data-kinds.ts';
import type { SurfaceScalar } from '#contract/analyses/declaration.ts';
import { formatQuantities } from '#contract/base/format-number.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { writePng } from '#formats/png/write-png.ts';
import { type ColorMapName, colorIndex, colorMap } from '#kernels/color/maps.ts';
import { weighScalar } from '#kernels/color/place-statistics.ts';
import { boundsOf, vertexAreasAndNormals } from '#kernels/color/vertex-areas.ts';
import { autoRange } from '#kernels/color/weighted-histogram.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { DataObjectRow } from '#storage/db/schema-data.ts';
import { meshPicture } from '../pictures/mesh-picture.ts';
import { middlePlane, slicePicture } from '../pictures/slice-picture.ts';
import type { StepResult } from '../results/run-results.ts';
import { readShownSurface } from '../shown-surface.ts';

export interface ReportPicture {
  png: Uint8Array;
  /** width through height */
  aspect: number;
  caption: string;
  legend?: { map: ColorMapName; minimum: number; maximum: number; unit: string };
}

/** sRGB of what pictures stand on: a transparent one would be taken apart and packed anew for the PDF. */
export const pictureGround: [number, number, number] = [250, 251, 252];

const MESH_PIXELS = 720;
const SLICE_PIXELS = 640;
/** Larger surfaces would hold the process up for seconds; the report does without. */
const MAX_MESH_BYTES = 160 * 1024 * 1024;

/** The surface that a step made; undefined when it made none, or one that is too large to draw. */
export async function surfacePicture(
  store: BlobStore,
  { dataObjects, title }: Pick<StepResult, 'dataObjects' | 'title'>,
): Promise<ReportPicture | undefined> {
  const [shown] = dataObjects.flatMap(({ row, files }) => {
    const glb = files.find(
      ({ fileName, sizeBytes }) => fileName.endsWith('.glb') && sizeBytes <= MAX_MESH_BYTES,
    );
    return glb ? [{ row, file: glb }] : [];
  });
  if (!shown) return undefined;
  const { row, file } = shown;
  const { mesh } = await readShownSurface(await store.read(file.blobKey));
  if (mesh.indices.length === 0) return undefined;
  const [scalar] = listScalars(row);
  const values = scalar && mesh.scalars?.[scalar.name];
  const { min, max } = boundsOf(mesh.positions);
  const size = formatQuantities(
    min.map((low, axis) => max[axis] - low),
    'mm',
  );
  const colored = values && colorsOf(mesh, values, scalar);
  const png = writePng(meshPicture(mesh, MESH_PIXELS, { colors: colored?.colors, ground: pictureGround }));
  if (!colored) return { png, aspect: 1, caption: `${title}: the surface, ${size}` };
  const { map, range } = colored;
  return {
    png,
    aspect: 1,
    caption: `${scalar.title}${findSurface(row.kind) === 'places' ? '' : ' on the surface'}, ${size}`,
    legend: { map, minimum: range[0], maximum: range[1], unit: scalar.unit },
  };
}

function colorsOf(mesh: TriangleMesh, values: Float32Array, { center, each, map: wanted }: SurfaceScalar) {
  const signed = center === 'zero';
  const places = mesh.scalars?.[each?.attribute ?? ''];
  const { statistics } = weighScalar(values, vertexAreasAndNormals(mesh).vertexAreasMm2, places);
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
    caption: `Middle slice of “${volume.name}”, ${full.dimensions.join(' × ')} voxels of ${formatQuantities(full.voxelSizeMm, 'mm')}, seen from above (x to the right, y up)`,
  };
}
