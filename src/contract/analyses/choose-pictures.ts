/** Chooses the data objects that a view shows, for the viewer and for the service's renders. */
import type { z } from 'zod';
import { MeshMetadata } from '../metadata/mesh.ts';
import type { BoundsMm } from '../metadata/statistics.ts';
import {
  dataObjectKinds,
  fileDataKinds,
  findSurface,
  readPlacement,
  readPose,
  surfaceKinds,
} from './data-kinds.ts';

/** The fields of a data object that are needed here. */
export interface Pictured {
  id: string;
  kind: string;
  status: string;
  metadata: object;
}

export interface Pictures<DataObject> {
  volume: DataObject | null;
  surface: DataObject | null;
  /** reference that the surface is compared with, or the part around its defects */
  reference: DataObject | null;
}

const partKinds = surfaceKinds.filter((kind) => findSurface(kind) === 'part');
const plainKinds: readonly string[] = fileDataKinds;
/** Kinds by priority: a measured part first, then defects, which are drawn with the part around them. */
const drawnKinds: readonly string[] = [
  ...partKinds.filter((kind) => !plainKinds.includes(kind)),
  ...dataObjectKinds.filter((kind) => findSurface(kind) === 'places'),
  ...partKinds.filter((kind) => plainKinds.includes(kind)),
  ...surfaceKinds.filter((kind) => findSurface(kind) === 'reference'),
];
/** Kinds that contain the whole surface of the scan, the plainest first. */
const scanKinds: readonly string[] = [...partKinds].reverse();

const identity: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

const isVolume = ({ kind }: Pictured) => kind === 'volume';
const isDefects = ({ kind }: Pictured) => findSurface(kind) === 'places';

/** How a reference is drawn beside the data compared with it. */
export function describeReference(holder: Pick<Pictured, 'kind' | 'metadata'>) {
  const matrix = readPlacement(holder);
  return {
    /** transforms a world point into the reference's frame; row by row */
    matrix: matrix ?? identity,
    /** the part that contains the defects, drawn without its own colours */
    isPart: matrix === undefined,
    /** drawn on slices only, because in 3D it would hide the colours of the surface */
    onSlicesOnly: matrix !== undefined && readPose(holder) === undefined,
  };
}

/** The data object drawn as the reference of a shown one; null when there is none. */
function findReference<DataObject extends Pictured>(
  ready: readonly DataObject[],
  holder: DataObject | null,
  inputIds: readonly string[],
  hasSurface: (dataObject: DataObject) => boolean,
): DataObject | null {
  if (!holder) return null;
  if (readPlacement(holder)) return ready.find(({ id }) => id === inputIds[1]) ?? null;
  // With several scans, it is unknown which one a surface belongs to.
  if (!isDefects(holder) || ready.filter(isVolume).length !== 1) return null;
  const parts = ready.filter((each) => scanKinds.includes(each.kind) && hasSurface(each));
  return parts.sort((a, b) => scanKinds.indexOf(a.kind) - scanKinds.indexOf(b.kind))[0] ?? null;
}

/**
 * Chooses what to show: the selected data object, with the newest volume and the surface of the highest priority. Only
 * completed data is considered. For an alignment: the scan unchanged, with its reference. A CAD model that nothing was
 * compared with is shown when it is selected, or when there is no scan.
 *
 * @param dataObjects newest first
 * @param inputIds of the operation that made the selected data object; its own volume is preferred to a newer one
 */
export function choosePictures<DataObject extends Pictured>(
  dataObjects: readonly DataObject[],
  selected: DataObject | null,
  inputIds: readonly string[],
  hasSurface: (dataObject: DataObject) => boolean,
): Pictures<DataObject> {
  const ready = dataObjects.filter(({ status }) => status === 'completed');
  const volumes = ready.filter(isVolume);
  const volume =
    selected && isVolume(selected)
      ? selected
      : (volumes.find(({ id }) => inputIds.includes(id)) ?? volumes[0] ?? null);
  if (selected && selected.status === 'completed' && hasSurface(selected))
    return { volume, surface: selected, reference: findReference(ready, selected, inputIds, hasSurface) };
  const isAlignment = selected !== null && readPose(selected) !== undefined;
  const [sourceId, referenceId] = isAlignment ? inputIds : [];
  const kinds = isAlignment ? scanKinds : drawnKinds;
  // The CAD model in place of the scan would look like a result.
  const canDraw = (kind: string) =>
    kinds.includes(kind) && (volume === null || findSurface(kind) !== 'reference');
  const surfaces = ready
    .filter(({ id, kind }) => id !== referenceId && (id === sourceId || canDraw(kind)))
    .filter(hasSurface)
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  const surface = surfaces.find(({ id }) => id === sourceId) ?? surfaces[0] ?? null;
  const holder = isAlignment ? selected : surface;
  return { volume, surface, reference: findReference(ready, holder, inputIds, hasSurface) };
}

/** The data object whose reference is shown: the displayed alignment, or else the surface itself. */
export const findHolder = <DataObject extends Pictured>(
  dataObjects: readonly DataObject[],
  alignmentId: string | null,
  surface: DataObject | null,
): DataObject | null =>
  dataObjects.find((each) => each.id === alignmentId && readPose(each) !== undefined) ?? surface;

/** Data that a saved view showed and that still exists; the default choice when the view names neither volume nor surface. */
export function pinnedPictures<DataObject extends Pictured>(
  dataObjects: readonly DataObject[],
  { volumeId, meshId, alignmentId }: Record<'volumeId' | 'meshId' | 'alignmentId', string | null>,
  inputIds: readonly string[],
  hasSurface: (dataObject: DataObject) => boolean,
): Pictures<DataObject> {
  if (volumeId === null && meshId === null) {
    const alignment = findHolder(dataObjects, alignmentId, null);
    return choosePictures(dataObjects, alignment, inputIds, hasSurface);
  }
  const ready = dataObjects.filter(({ status }) => status === 'completed');
  const surface = ready.find(({ id }) => id === meshId) ?? null;
  return {
    volume: ready.filter(isVolume).find(({ id }) => id === volumeId) ?? null,
    surface,
    reference: findReference(ready, findHolder(ready, alignmentId, surface), inputIds, hasSurface),
  };
}

/** A data object with the operation that created it, so that it can be traced back to its scan. */
export type Made = Pictured & { name: string; createdByOperation: string | null };

/** Returns the input ids of an operation; the first is its source. */
export type ReadInputs = (operationId: string) => Promise<readonly string[]>;

/** Maximum number of steps for tracing a result back to its scan. */
const maxSteps = 6;

/** Whether a data object was derived from the volume, directly or through other analyses. */
async function comesFrom<DataObject extends Made>(
  byId: ReadonlyMap<string, DataObject>,
  { createdByOperation }: DataObject,
  volumeId: string,
  readInputs: ReadInputs,
  steps = maxSteps,
): Promise<boolean> {
  if (createdByOperation === null || steps === 0) return false;
  // The second input of an alignment or comparison is its reference.
  const [first] = await readInputs(createdByOperation);
  if (first === undefined) return false;
  if (first === volumeId) return true;
  const source = byId.get(first);
  return source !== undefined && comesFrom(byId, source, volumeId, readInputs, steps - 1);
}

export interface ComparedPictures<DataObject> {
  volumes: readonly DataObject[];
  volume: DataObject;
  surface: DataObject | null;
  /** of the surface; null when unknown */
  surfaceBounds: z.infer<typeof BoundsMm> | null;
  /** transforms the scan to the reference it was aligned to; row by row; null: not aligned */
  pose: readonly number[] | null;
  /** title of its pane: the project, and the volume when there are several */
  title: string;
}

/**
 * Chooses one scan of a comparison: the given or the newest volume, with the newest surface and alignment derived from it;
 * null when there is no such volume.
 *
 * @param dataObjects of the project, newest first
 */
export async function chooseCompared<DataObject extends Made>(
  projectName: string,
  dataObjects: readonly DataObject[],
  volumeId: string | null,
  readInputs: ReadInputs,
): Promise<ComparedPictures<DataObject> | null> {
  const ready = dataObjects.filter(({ status }) => status === 'completed');
  const volumes = ready.filter(isVolume);
  const volume = volumeId === null ? volumes[0] : volumes.find(({ id }) => id === volumeId);
  if (!volume) return null;
  const byId = new Map(ready.map((each) => [each.id, each]));
  const findFirst = async (candidates: readonly DataObject[]) => {
    for (const each of candidates) if (await comesFrom(byId, each, volume.id, readInputs)) return each;
    return null;
  };
  const [surface, alignment] = await Promise.all([
    findFirst(ready.filter(({ kind }) => kind === 'mesh' && findSurface(kind) === 'part')),
    findFirst(ready.filter((each) => readPose(each) !== undefined)),
  ]);
  return {
    ...{ volumes, volume, surface },
    surfaceBounds: MeshMetadata.pick({ boundsMm: true }).safeParse(surface?.metadata).data?.boundsMm ?? null,
    pose: (alignment && readPose(alignment)) ?? null,
    title: volumes.length > 1 ? `${projectName}, ${volume.name}` : projectName,
  };
}
