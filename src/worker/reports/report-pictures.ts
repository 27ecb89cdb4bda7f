/** Pictures of a report: the part's surface, plain or coloured by a measured quantity, and a slice of the scan. */

import { findSurface, listLimitedScalars } from '#contract/analyses/data-kinds.ts';
import { formatLength, formatQuantities } from '#contract/base/format-number.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { writePng } from '#formats/png/write-png.ts';
import type { ColorMapName } from '#kernels/color/maps.ts';
import { measureBounds } from '#kernels/color/vertex-areas.ts';
import { standardView } from '#kernels/grid/camera.ts';
import { centreGridMm } from '#kernels/grid/plane-transform.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { Canvas2D } from '#kernels/overlay/canvas.ts';
import { onLight } from '#kernels/overlay/paint.ts';
import type { LegendModel } from '#kernels/overlay/paint-legend.ts';
import { paintSceneOverlay } from '#kernels/overlay/paint-scene.ts';
import { paintSliceScale } from '#kernels/overlay/paint-slice-scale.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { DataObjectRow } from '#storage/db/schema-data.ts';
import { describeLegend, paintSurface, squarePane } from '../pictures/surface-picture.ts';
import { drawMiddleSlice } from '../pictures/volume-picture.ts';
import { drawReferenceAround } from '../renders/reference-things.ts';
import type { StepResult } from '../results/run-results.ts';
import { readShownSurface } from '../shown-surface.ts';

export interface ReportPicture {
  png: Uint8Array;
  /** width divided by height */
  aspect: number;
  caption: string;
  /** of its colours; null = it has none */
  legend: LegendModel | null;
  /** whether the overlays are drawn in the whole frame, beside the part, instead of on the picture */
  isInFrame: boolean;
  /** draws the viewer's overlays (scale bar, axes) at the height of the picture. CSS pixels */
  paint(canvas: Canvas2D, size: { widthPx: number; heightPx: number }): void;
}

const MESH_PIXELS = 720;
const SLICE_PIXELS = 640;
/** Larger surfaces would block the process for seconds, so the report omits them. */
const MAX_MESH_BYTES = 160 * 1024 * 1024;

/** The first surface that a step made, with its file; undefined when there is none or it is too large to draw. */
const findDrawn = ({ dataObjects }: Pick<StepResult, 'dataObjects'>) =>
  dataObjects
    .flatMap(({ row, files }) => {
      const glb = files.find(
        ({ fileName, sizeBytes }) => fileName.endsWith('.glb') && sizeBytes <= MAX_MESH_BYTES,
      );
      return glb ? [{ row, file: glb }] : [];
    })
    .at(0);

/** The part around the defects of a section: the surface that another analysis made of the same scan. */
async function readPartAround(
  store: BlobStore,
  { operation }: StepResult,
  sections: readonly StepResult[],
): Promise<TriangleMesh | null> {
  const [scanId] = operation?.inputDataObjectIds ?? [];
  for (const each of sections) {
    const drawn = each.operation?.inputDataObjectIds[0] === scanId ? findDrawn(each) : undefined;
    if (drawn && findSurface(drawn.row.kind) === 'part')
      return (await readShownSurface(await store.read(drawn.file.blobKey))).mesh;
  }
  return null;
}

/**
 * The surface that a step made, defects with the part around them; undefined when there is none or it is too large.
 *
 * @param sections results among which the part is found
 */
export async function surfacePicture(
  store: BlobStore,
  section: StepResult,
  sections: readonly StepResult[],
  signal: AbortSignal,
): Promise<ReportPicture | undefined> {
  const shown = findDrawn(section);
  if (!shown) return undefined;
  const { row, file } = shown;
  const surface = {
    ...(await readShownSurface(await store.read(file.blobKey))),
    scalars: listLimitedScalars(row),
  };
  const { mesh, scalars } = surface;
  if (mesh.indices.length === 0) return undefined;
  const scalar = scalars.find(({ name, onDemand }) => !onDemand && mesh.scalars?.[name]);
  const map: ColorMapName = scalar?.map ?? (scalar?.center === 'zero' ? 'coolwarm' : 'viridis');
  const pane = squarePane(MESH_PIXELS, 3);
  const ofPlaces = findSurface(row.kind) === 'places';
  const part = ofPlaces ? await readPartAround(store, section, sections) : null;
  const bounds = measureBounds((part ?? mesh).positions);
  const camera = standardView('isometric', bounds, 1);
  const look = { scalar: scalar?.name ?? null, map, range: null, brush: null, opacity: 1, shaded: true };
  const clips = { box: null, planes: [], beforePlace: null };
  const scene = { edges: true, gradient: false, occlusion: null };
  await paintSurface(pane, surface, { camera, clips, scene, surface: look }, signal, {
    around: (drawn) =>
      part && drawReferenceAround({ mesh: part, isPart: true, onSlicesOnly: false }, drawn, false),
  });
  const { min, max } = bounds;
  const size = formatQuantities([max[0] - min[0], max[1] - min[1], max[2] - min[2]], 'mm');
  const png = await writePng(pane.picture);
  const legend = describeLegend(surface, look);
  const what =
    scalar && legend
      ? `${scalar.title}${ofPlaces ? '' : ' on the surface'}`
      : `${section.title}: the surface`;
  return {
    png,
    aspect: 1,
    caption: `${what}, ${size}`,
    legend,
    isInFrame: true,
    paint: (canvas, { widthPx, heightPx }) =>
      paintSceneOverlay(canvas, camera, [widthPx, heightPx], onLight, formatLength),
  };
}

/** The central slice of the scan that was analysed, from a level that is just large enough. */
export async function scanPicture(
  store: BlobStore,
  volume: DataObjectRow,
): Promise<ReportPicture | undefined> {
  if (!volume.volumeKey) return undefined;
  const reader = await openVolumeReader(store, volume.volumeKey);
  const picture = await drawMiddleSlice(reader, SLICE_PIXELS);
  const full = reader.meta;
  const [centreU, centreV] = centreGridMm(full);
  const heightMm = full.dimensions[1] * full.voxelSizeMm[1];
  return {
    png: await writePng(picture),
    aspect: picture.width / picture.height,
    caption: `Middle slice of “${volume.name}”, ${full.dimensions.join(' × ')} voxels of ${formatQuantities(full.voxelSizeMm, 'mm')}`,
    legend: null,
    isInFrame: false,
    paint: (canvas, size) =>
      paintSliceScale(canvas, 'xy', { centreU, centreV, heightMm, ...size }, formatLength),
  };
}
