/** Entries of an export and their names. */
import { asc, eq } from 'drizzle-orm';
import {
  type DataObjectKind,
  findExportPart,
  findFolder,
  surfaceKinds,
} from '#contract/analyses/data-kinds.ts';
import {
  type ExportMeshFormat,
  type ExportVolumeFormat,
  exportMeshFormats,
} from '#contract/base/export-formats.ts';
import { volumeFormats } from '#formats/registry.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import { safeName } from '#storage/blobs/file-name.ts';
import type { Executor } from '#storage/db/connection.ts';
import { meshBytes, volumeBytes } from '#storage/db/export-size.ts';
import {
  type DataObjectRow,
  dataObjects,
  type FileRow,
  narrowRow,
  type RowOfKind,
} from '#storage/db/schema-data.ts';
import type { ExportConfig } from '#storage/db/schema-work.ts';
import { listFiles } from '../list-files.ts';

type FileFormat = Exclude<ExportVolumeFormat, 'omeZarr'>;

export type ExportContent =
  /** as stored */
  | { kind: 'file'; file: FileRow }
  /** part of a stored volume, which is stored as OME-Zarr already */
  | { kind: 'blob'; blobKey: string; sizeBytes: number }
  | { kind: 'volume'; volumeKey: string; format: FileFormat }
  /** a stack of grey values, stored as a file, in another format */
  | { kind: 'stack'; file: FileRow; format: FileFormat }
  /** a part of a stack as OME-Zarr: its metadata, or one plane */
  | { kind: 'stackPart'; file: FileRow; part: 'group' | 'array' | number }
  /** a surface in another format than stored */
  | { kind: 'mesh'; file: FileRow; format: ExportMeshFormat };

export interface ExportEntry {
  /** path in the archive with / between folders; unique */
  path: string;
  dataObject: DataObjectRow;
  content: ExportContent;
  /** estimated size, for the progress */
  expectedBytes: number;
}

/** All completed data objects of the requested kinds with their files, oldest first. */
export async function exportEntries(
  db: Executor,
  store: BlobStore,
  projectId: string,
  config: ExportConfig,
): Promise<ExportEntry[]> {
  const all = await db
    .select()
    .from(dataObjects)
    .where(eq(dataObjects.projectId, projectId))
    .orderBy(asc(dataObjects.createdAt), asc(dataObjects.id));
  const wanted = all.filter(({ status, kind }) => status === 'completed' && isWanted(kind, config));
  const files = await listFiles(
    db,
    wanted.map(({ id }) => id),
  );
  const taken = new Set<string>();
  const entries: ExportEntry[] = [];
  for (const dataObject of wanted) {
    const folder = uniqueName(`${findFolder(dataObject.kind)}/${safeName(dataObject.name)}`, taken);
    const own = files.filter(({ dataObjectId }) => dataObjectId === dataObject.id);
    for (const entry of await listEntries(store, dataObject, own, config)) {
      entries.push({ ...entry, path: `${folder}/${entry.path}`, dataObject });
    }
  }
  return entries;
}

type Part = Pick<ExportEntry, 'path' | 'content' | 'expectedBytes'>;

/** Entries of one data object, named relative to its folder. */
async function listEntries(
  store: BlobStore,
  dataObject: DataObjectRow,
  files: FileRow[],
  { volumeFormat = 'nrrd', meshFormats = [] }: ExportConfig,
): Promise<Part[]> {
  const names = new Set<string>();
  const parts: Part[] = [];
  const surfaces = meshFormats.length > 0 && surfaceKinds.includes(dataObject.kind);
  for (const file of files) {
    const ending = readExtension(file.fileName);
    if (surfaces && isMeshFormat(ending) && !meshFormats.includes(ending)) continue;
    parts.push({
      path: uniqueName(safeName(file.fileName), names),
      content: { kind: 'file', file },
      expectedBytes: file.sizeBytes,
    });
  }
  const glb = files.find(({ mediaType }) => mediaType === 'model/gltf-binary');
  if (surfaces && glb) {
    const stored = new Set(files.map(({ fileName }) => readExtension(fileName)));
    for (const format of meshFormats.filter((each) => !stored.has(each))) {
      parts.push({
        path: uniqueName(`${safeName(glb.fileName).replace(/\.glb$/i, '')}.${format}`, names),
        content: { kind: 'mesh', file: glb, format },
        expectedBytes: meshBytes(dataObject, glb.sizeBytes, format),
      });
    }
  }
  const filesBytes = files.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0);
  const radiographs = narrowRow(dataObject, 'radiographs');
  if (dataObject.volumeKey) {
    const expectedBytes = volumeBytes(dataObject, filesBytes, volumeFormat);
    parts.push(...(await volumeParts(store, dataObject.volumeKey, volumeFormat, expectedBytes, names)));
  } else if (radiographs) {
    for (const file of files) parts.push(...stackParts(radiographs, file, volumeFormat, names));
  }
  return parts;
}

async function volumeParts(
  store: BlobStore,
  volumeKey: string,
  format: ExportVolumeFormat,
  expectedBytes: number,
  names: Set<string>,
): Promise<Part[]> {
  if (format !== 'omeZarr') {
    const path = uniqueName(`volume.${volumeFormats[format].extensions[0]}`, names);
    return [{ path, content: { kind: 'volume', volumeKey, format }, expectedBytes }];
  }
  const folder = uniqueName('volume.ome.zarr', names);
  const parts: Part[] = [];
  for await (const { key, sizeBytes } of store.list(`${volumeKey}/`)) {
    parts.push({
      path: `${folder}/${key.slice(volumeKey.length + 1)}`,
      content: { kind: 'blob', blobKey: key, sizeBytes },
      expectedBytes: sizeBytes,
    });
  }
  return parts.sort((a, b) => (a.path < b.path ? -1 : 1));
}

/** A stored stack of radiographs in the requested format, if it is stored in another one. */
function stackParts(
  { metadata }: RowOfKind<'radiographs'>,
  file: FileRow,
  format: ExportVolumeFormat,
  names: Set<string>,
): Part[] {
  const ending = readExtension(file.fileName);
  if (!stackEndings.has(ending)) return [];
  const stem = safeName(file.fileName).replace(/\.[^.]+$/, '');
  if (format !== 'omeZarr') {
    const own: readonly string[] = volumeFormats[format].extensions;
    if (own.includes(ending)) return [];
    return [
      {
        path: uniqueName(`${stem}.${own[0]}`, names),
        content: { kind: 'stack', file, format },
        expectedBytes: file.sizeBytes,
      },
    ];
  }
  const planes = metadata.projections;
  if (planes < 1) return [];
  const folder = uniqueName(`${stem}.ome.zarr`, names);
  const part = (path: string, part: 'group' | 'array' | number, expectedBytes: number): Part => ({
    path: `${folder}/${path}`,
    content: { kind: 'stackPart', file, part },
    expectedBytes,
  });
  return [
    part('zarr.json', 'group', 1_000),
    part('0/zarr.json', 'array', 600),
    ...Array.from({ length: planes }, (_, plane) =>
      part(`0/c/${plane}/0/0`, plane, Math.round(file.sizeBytes / planes)),
    ),
  ];
}

const stackEndings: ReadonlySet<string> = new Set(['nrrd', 'tif', 'tiff', 'mha']);
const readExtension = (fileName: string): string =>
  fileName.slice(fileName.lastIndexOf('.') + 1).toLowerCase();
const isMeshFormat = (ending: string): ending is ExportMeshFormat =>
  (exportMeshFormats as readonly string[]).includes(ending);

function isWanted(kind: DataObjectKind, config: ExportConfig): boolean {
  const { exportMeshes: meshes, exportVolumes: volumes, exportRadiographs: radiographs } = config;
  return { meshes, volumes, radiographs }[findExportPart(kind)];
}

/** Names the archive by project, part and day: `Hollow housing_HH-200_2026-11-21.zip`. */
export function exportFileName(
  project: { name: string; partNumber: string | null; serialNumber: string | null },
  at: Date,
): string {
  const parts = [project.name, project.partNumber, project.serialNumber]
    .filter((part): part is string => Boolean(part?.trim()))
    .map((part) => safeName(part));
  return `${safeName([...new Set(parts)].join('_'))}_${at.toISOString().slice(0, 10)}.zip`;
}

/** `name`, or `name (2)` etc. before the extension if it is taken. Ignores case, as Windows and macOS do. */
export function uniqueName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > name.lastIndexOf('/') + 1 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let unique = name;
  for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${stem} (${number})${ending}`;
  taken.add(unique.toLowerCase());
  return unique;
}
