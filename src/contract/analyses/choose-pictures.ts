/** Which data objects a view shows: for the viewer and for pictures that the service draws. */
import {
  dataObjectKinds,
  fileDataKinds,
  findSurface,
  readPlacement,
  readPose,
  surfaceKinds,
} from './data-kinds.ts';

/** A data object, as far as it is needed here. */
export interface Pictured {
  id: string;
  kind: string;
  status: string;
  metadata: object;
}

export interface Pictures<DataObject> {
  volume: DataObject | null;
  surface: DataObject | null;
  /** what the surface is held against, or the part around it */
  reference: DataObject | null;
}

const partKinds = surfaceKinds.filter((kind) => findSurface(kind) === 'part');
const plainKinds: readonly string[] = fileDataKinds;
/** What says most first: a measured part, then what was found in one, which is drawn with the part around it. */
const drawnKinds: readonly string[] = [
  ...partKinds.filter((kind) => !plainKinds.includes(kind)),
  ...dataObjectKinds.filter((kind) => findSurface(kind) === 'places'),
  ...partKinds.filter((kind) => plainKinds.includes(kind)),
  ...surfaceKinds.filter((kind) => findSurface(kind) === 'reference'),
];
/** Those that are the whole surface of the scan, the plainest first. */
const scanKinds: readonly string[] = [...partKinds].reverse();

const identity: readonly number[] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];

const isVolume = ({ kind }: Pictured) => kind === 'volume';
const isDefects = ({ kind }: Pictured) => findSurface(kind) === 'places';

/** How a reference stands beside what was held against it. */
export function describeReference(holder: Pick<Pictured, 'kind' | 'metadata'>) {
  const matrix = readPlacement(holder);
  return {
    /** takes a point of the world to its place there; row by row */
    matrix: matrix ?? identity,
    /** the part that the surface's defects are in, drawn without a colour of its own */
    isPart: matrix === undefined,
    /** in 3D it would hide the colours of the surface */
    onSlicesOnly: matrix !== undefined && readPose(holder) === undefined,
  };
}

/** What the reference of a shown data object is made of; null where it has nothing beside it. */
function findReference<DataObject extends Pictured>(
  ready: readonly DataObject[],
  holder: DataObject | null,
  inputIds: readonly string[],
  hasSurface: (dataObject: DataObject) => boolean,
): DataObject | null {
  if (!holder) return null;
  if (readPlacement(holder)) return ready.find(({ id }) => id === inputIds[1]) ?? null;
  // With several scans it is not known here which of them a surface is of.
  if (!isDefects(holder) || ready.filter(isVolume).length !== 1) return null;
  const parts = ready.filter((each) => scanKinds.includes(each.kind) && hasSurface(each));
  return parts.sort((a, b) => scanKinds.indexOf(a.kind) - scanKinds.indexOf(b.kind))[0] ?? null;
}

/**
 * What to show: the selected data object, and beside it the newest volume and the surface that says most. All from
 * finished data, the newest first. With an alignment that is the scan as it is, and what it was laid on.
 *
 * @param inputIds of the operation that made the shown one: its own volume goes before a newer one
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
  const surfaces = ready
    .filter(({ id, kind }) => id !== referenceId && (id === sourceId || kinds.includes(kind)))
    .filter(hasSurface)
    .sort((a, b) => kinds.indexOf(a.kind) - kinds.indexOf(b.kind));
  const surface = surfaces.find(({ id }) => id === sourceId) ?? surfaces[0] ?? null;
  const holder = isAlignment ? selected : surface;
  return { volume, surface, reference: findReference(ready, holder, inputIds, hasSurface) };
}

/** What the reference beside a surface belongs to: the alignment that is shown, else the surface itself. */
export const findHolder = <DataObject extends Pictured>(
  dataObjects: readonly DataObject[],
  alignmentId: string | null,
  surface: DataObject | null,
): DataObject | null =>
  dataObjects.find((each) => each.id === alignmentId && readPose(each) !== undefined) ?? surface;

/** What a view showed, of what is still there; where it names neither volume nor surface, what says most. */
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

/** A data object whose maker is known, so that it can be followed back to its scan. */
export type Made = Pictured & { name: string; createdByOperation: string | null };

/** What the operation that has this id was given; the first is what was worked on. */
export type ReadInputs = (operationId: string) => Promise<readonly string[]>;

/** How far a result is followed back to its scan. */
const mostSteps = 6;

/** Whether a data object was made from the volume, by whatever analyses lie between. */
async function comesFrom<DataObject extends Made>(
  byId: ReadonlyMap<string, DataObject>,
  { createdByOperation }: DataObject,
  volumeId: string,
  readInputs: ReadInputs,
  steps = mostSteps,
): Promise<boolean> {
  if (createdByOperation === null || steps === 0) return false;
  // An alignment's or comparison's second input is what it was held against.
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
  /** lays the scan on what it was aligned to; row by row; null = it was aligned to nothing */
  pose: readonly number[] | null;
  /** what its pane is called: the project, and which of its volumes where there are several */
  title: string;
}

/**
 * One scan of a comparison: the newest volume, or the one that is named, with the newest surface and alignment that belong
 * to it; null where there is no such volume.
 *
 * @param dataObjects of the project, the newest first
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
    pose: (alignment && readPose(alignment)) ?? null,
    title: volumes.length > 1 ? `${projectName}, ${volume.name}` : projectName,
  };
}
