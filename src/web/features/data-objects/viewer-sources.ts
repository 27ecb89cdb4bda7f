/** Data that the viewer loads from the service: previews, planes, and the bytes of a surface. */
import { queryOptions } from '@tanstack/react-query';
import { z } from 'zod';
import {
  choosePictures,
  describeReference,
  type Pictures,
  pinnedPictures,
} from '#contract/analyses/choose-pictures.ts';
import { findSurface, listLimitedScalars, readTolerance } from '#contract/analyses/data-kinds.ts';
import { readPath } from '#contract/analyses/steps.ts';
import { listSurfaceDetails, type SurfaceDetail } from '#contract/shapes/data-object.ts';
import { planeAxes, worldToGridMm } from '#kernels/grid/plane-transform.ts';
import {
  bytesPerVoxel,
  type DataType,
  mapVector,
  type Vector3,
  type Volume,
  voxelArray,
} from '#kernels/grid/volume.ts';
import { ServiceError } from '#web/api/errors.ts';
import { readDataLevel, readDataSlice, readSurfaceView } from '#web/api/generated/sdk.gen.ts';
import type { DataObject, DataResolution, VolumeDataObject } from '#web/api/generated/types.gen.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import type { SliceSource, VolumeDescription } from '#web/viewer/data/slice-source.ts';
import type {
  ReferenceSource,
  ScalarDescription,
  SimplifiedBytes,
  SurfaceSource,
} from '#web/viewer/state/surface-source.ts';
import { listPlaces } from './place-source.ts';
import { fileAddress } from './queries.ts';

const triple = z.tuple([z.number(), z.number(), z.number()]);
const dataType = z.enum(Object.keys(bytesPerVoxel) as [DataType, ...DataType[]]);

const LevelHeaders = z.object({ dimensions: triple, voxelSizeMm: triple, originMm: triple, dataType });

const SliceHeaders = z.object({
  dimensions: z.tuple([z.int().min(1), z.int().min(1)]),
  spacingMm: z.tuple([z.number().positive(), z.number().positive()]),
  originMm: triple,
  dataType,
});

/** Describes a volume for the viewer, from its metadata and its levels. */
export function volumeDescription(volume: VolumeDataObject, resolution: DataResolution): VolumeDescription {
  const { directions, range, isoValue, histogram, quality } = volume.metadata;
  const greys = quality?.materials.map(({ grey }) => grey) ?? [];
  return {
    id: volume.id,
    dimensions: resolution.dimensions,
    voxelSizeMm: resolution.voxelSizeMm,
    originMm: resolution.originMm,
    directions,
    dataType: resolution.dataType,
    range,
    isoValue: isoValue ?? undefined,
    materialLevels: greys.slice(1).map((grey, i) => (grey + (greys[i] ?? grey)) / 2),
    histogram: { minimum: histogram.min, maximum: histogram.max, counts: histogram.counts },
    levels: resolution.levels,
  };
}

async function readBytes(response: Response, what: string): Promise<ArrayBuffer> {
  if (!response.ok) throw new Error(`${what} could not be loaded: the service answered ${response.status}.`);
  return response.arrayBuffer();
}

const numbers = (header: string | null): number[] => (header ?? '').split(',').map(Number);

/** Loads a volume of at most 256 voxels along each edge, small enough to fit in memory, with unchanged grey values. */
export const loadPreview =
  ({ id, directions }: Pick<VolumeDescription, 'id' | 'directions'>) =>
  async (signal: AbortSignal): Promise<Volume> => {
    const { data, response } = await readDataLevel({
      path: { id },
      query: { max_dimension_size: 256 },
      parseAs: 'arrayBuffer',
      signal,
    });
    const { headers } = response;
    const facts = LevelHeaders.parse({
      dimensions: numbers(headers.get('X-Dimensions')),
      voxelSizeMm: numbers(headers.get('X-Spacing-Mm')),
      originMm: numbers(headers.get('X-Origin-Mm')),
      dataType: headers.get('X-Data-Type'),
    });
    const buffer = data as unknown as ArrayBuffer;
    const expected = facts.dimensions.reduce(
      (product, each) => product * each,
      bytesPerVoxel[facts.dataType],
    );
    if (buffer.byteLength !== expected)
      throw new Error(`The preview has ${buffer.byteLength} bytes instead of ${expected}.`);
    return { ...facts, directions, data: voxelArray(facts.dataType, buffer) };
  };

/** Shared by the page and the viewer, whichever comes first; cached only until both have it. */
export const previewOptions = ({ id, metadata: { directions } }: VolumeDataObject) =>
  queryOptions({
    queryKey: ['preview', id],
    queryFn: ({ signal }) => loadPreview({ id, directions })(signal),
    staleTime: Number.POSITIVE_INFINITY,
    gcTime: 20_000,
    structuralSharing: false,
  });

/**
 * Planes from the service. The viewer counts along the grid's own axes from its first voxel, the service along the same
 * axes from the frame's zero; both agree unless the grid is rotated.
 */
export function openSlices(volume: VolumeDescription): SliceSource {
  return {
    async getPlane({ axis, positionMm, level, rect, signal }) {
      const normal = axis === 'x' ? 0 : axis === 'y' ? 1 : 2;
      const [x = 0, y = 0, z = 0] = volume.directions.slice(3 * normal, 3 * normal + 3);
      const [originX, originY, originZ] = volume.originMm;
      const start = originX * x + originY * y + originZ * z;
      const { data, response } = await readDataSlice({
        path: { id: volume.id },
        query: {
          axis,
          level,
          positionMm: start + (positionMm - volume.originMm[normal]),
          rect,
          format: 'raw',
        },
        parseAs: 'arrayBuffer',
        signal,
      });
      const { headers } = response;
      const facts = SliceHeaders.parse({
        dimensions: numbers(headers.get('X-Dimensions')),
        spacingMm: numbers(headers.get('X-Spacing-Mm')),
        originMm: numbers(headers.get('X-Origin-Mm')),
        dataType: headers.get('X-Data-Type'),
      });
      const [width, height] = facts.dimensions;
      const axes = Object.values(planeAxes).find(({ sliceAxis }) => sliceAxis === axis) ?? planeAxes.xy;
      const firstGridMm = worldToGridMm(volume, facts.originMm as Vector3);
      return {
        width,
        height,
        values: voxelArray(facts.dataType, data as unknown as ArrayBuffer),
        originMm: [firstGridMm[axes.u], firstGridMm[axes.v]],
        spacingMm: facts.spacingMm,
        exact: level === 0,
      };
    },
    async sample({ originMm, uMm, vMm, width, height }, level, signal) {
      const { data } = await readDataSlice({
        path: { id: volume.id },
        query: {
          axis: 'oblique',
          level,
          cornerMm: mapVector(originMm, (mm, k) => mm - (uMm[k] + vMm[k]) / 2),
          uMm: mapVector(uMm, (mm) => mm * width),
          vMm: mapVector(vMm, (mm) => mm * height),
          width,
          height,
          format: 'raw',
        },
        parseAs: 'arrayBuffer',
        signal,
      });
      return new Float32Array(data as unknown as ArrayBuffer);
    },
  };
}

/** The scalars by which its surface can be coloured, and the range of the colour scale. */
function describeScalars(dataObject: DataObject): ScalarDescription[] {
  const tolerance = readTolerance(dataObject);
  return listLimitedScalars(dataObject).map(
    ({ name, title, unit, center, each, map, limits, onDemand, marks }) => {
      return {
        name,
        title,
        unit,
        ...(center === 'zero' ? { signed: true } : {}),
        ...(each ? { each: { ...each, count: readNumber(dataObject.metadata, each.count) } } : {}),
        ...(map ? { map } : {}),
        ...(onDemand ? { onDemand } : {}),
        ...(marks ? { marks } : {}),
        ...(limits ? { limits } : {}),
        ...(tolerance && tolerance.unit === unit
          ? { tolerance: [tolerance.lower, tolerance.upper] as const }
          : {}),
      };
    },
  );
}
function readNumber(metadata: object, path: string): number | null {
  const value = readPath(metadata, path);
  return typeof value === 'number' ? value : null;
}

const findSurfaceFile = (files: DataObject['files']) =>
  files.find(({ fileName, mediaType }) => mediaType === 'model/gltf-binary' || /\.glb$/i.test(fileName));

/** The surface of a data object; null if it has none. */
export function openSurface(dataObject: DataObject): SurfaceSource | null {
  const file = findSurfaceFile(dataObject.files);
  if (!file) return null;
  const details = listSurfaceDetails(dataObject, file.sizeBytes);
  return {
    id: dataObject.id,
    title: dataObject.name,
    shows: findSurface(dataObject.kind) === 'places' ? 'defects' : 'part',
    scalars: describeScalars(dataObject),
    places: listPlaces(dataObject),
    isNominal: findSurface(dataObject.kind) === 'reference',
    load: async (signal) => {
      const packed = details.includes('whole') && (await readSurface(dataObject.id, 'whole', signal));
      if (packed) return packed.bytes;
      const { url } = await fileAddress(dataObject.id, file.fileName, signal);
      return readBytes(await fetch(resolveAddress(url), { signal }), 'The surface');
    },
    ...(details.includes('simplified')
      ? { loadSimplified: (signal) => readSurface(dataObject.id, 'simplified', signal) }
      : {}),
  };
}

/** A compressed version of a surface; null while it is being created, and if it can't be. */
async function readSurface(
  id: string,
  detail: SurfaceDetail,
  signal: AbortSignal,
): Promise<SimplifiedBytes | null> {
  try {
    const { data: view } = await readSurfaceView({ path: { id }, query: { detail }, signal });
    if (view.data === null || view.wholeTriangles === null) return null;
    const response = await fetch(resolveAddress(view.data), { signal });
    return { bytes: await readBytes(response, 'The surface'), wholeTriangles: view.wholeTriangles };
  } catch (error) {
    // Falls back to the stored file, which reports the error if it can't be read either.
    if (error instanceof ServiceError) return null;
    throw error;
  }
}

export const isVolume = (dataObject: DataObject): dataObject is VolumeDataObject =>
  dataObject.kind === 'volume';

/**
 * The surface drawn beside another one: the reference of an alignment or comparison at its aligned pose, or the part
 * around defects. Null if it has no surface.
 */
export function openReference(holder: DataObject, reference: DataObject): ReferenceSource | null {
  const surface = openSurface(reference);
  if (!surface) return null;
  return {
    id: `${holder.id} ${reference.id}`,
    title: reference.name,
    load: surface.load,
    isNominal: surface.isNominal,
    ...(surface.loadSimplified ? { loadSimplified: surface.loadSimplified } : {}),
    ...describeReference(holder),
  };
}

/**
 * A reference at a pose being edited (scan → reference, row-major); its bytes are loaded once. Null without a surface.
 */
export function openPosed(reference: DataObject): ((matrix: readonly number[]) => ReferenceSource) | null {
  const surface = openSurface(reference);
  if (!surface) return null;
  let bytes: Promise<ArrayBuffer> | null = null;
  const load = async () => {
    // The load outlives a change of pose, so no single request may abort it.
    bytes ??= surface.load(new AbortController().signal).catch((cause) => {
      bytes = null;
      throw cause;
    });
    return (await bytes).slice(0);
  };
  return (matrix) => ({
    id: `posed ${reference.id} ${matrix.join(' ')}`,
    title: reference.name,
    load,
    isNominal: surface.isNominal,
    matrix,
  });
}

interface ShownPictures extends Pictures<DataObject> {
  volume: VolumeDataObject | null;
}

const hasSurface = (dataObject: DataObject) => findSurfaceFile(dataObject.files) !== undefined;
const narrowVolume = ({ volume, ...others }: Pictures<DataObject>): ShownPictures => ({
  ...others,
  volume: volume && isVolume(volume) ? volume : null,
});

/** What to show for a selected data object, according to `choosePictures` of the contract. */
export const chooseShown = (
  dataObjects: readonly DataObject[],
  selected: DataObject | null,
  inputIds: readonly string[],
): ShownPictures => narrowVolume(choosePictures(dataObjects, selected, inputIds, hasSurface));

/** Whether a view names any data objects, and all of them exist. */
export function holdsAllOf(
  dataObjects: readonly Pick<DataObject, 'id' | 'status'>[],
  { volumeId, meshId, alignmentId }: Parameters<typeof pinnedPictures>[1],
): boolean {
  const named = [volumeId, meshId, alignmentId].filter((id) => id !== null);
  const ready = dataObjects.filter(({ status }) => status === 'completed');
  return named.length > 0 && named.every((each) => ready.some(({ id }) => id === each));
}

/** The data objects of a bookmark or link that still exist. */
export const choosePinned = (
  dataObjects: readonly DataObject[],
  view: Parameters<typeof pinnedPictures>[1],
  inputIds: readonly string[],
): ShownPictures => narrowVolume(pinnedPictures(dataObjects, view, inputIds, hasSurface));
