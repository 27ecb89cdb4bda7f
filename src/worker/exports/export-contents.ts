/** What goes into an export and under which names. */
import { asc, eq, inArray } from 'drizzle-orm';
import type { ExportConfig } from '#contract/shapes/export.ts';
import type { Executor } from '#storage/db/connection.ts';
import { type DataObjectKind, dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';

type DataObjectRow = typeof dataObjects.$inferSelect;
type FileRow = typeof dataObjectFiles.$inferSelect;

export interface ExportEntry {
  /** in the archive, with / between folders; unique */
  path: string;
  dataObject: DataObjectRow;
  /** a stored file, or the volume written as NRRD */
  content: { kind: 'file'; file: FileRow } | { kind: 'volume'; volumeKey: string };
  /** what the entry will have, as far as it is known; for the progress */
  expectedBytes: number;
}

const folders: Record<DataObjectKind, string> = {
  radiographs: 'radiographs',
  volume: 'volumes',
  mesh: 'meshes',
  cad: 'cad',
  alignment: 'results',
  wallThickness: 'results',
  integrity: 'results',
  meshCompare: 'results',
  report: 'reports',
  other: 'other',
};

/** Every completed data object of the kinds asked for, with its files, oldest first. */
export async function exportEntries(
  db: Executor,
  projectId: string,
  config: ExportConfig,
): Promise<ExportEntry[]> {
  const all = await db
    .select()
    .from(dataObjects)
    .where(eq(dataObjects.projectId, projectId))
    .orderBy(asc(dataObjects.createdAt), asc(dataObjects.id));
  const wanted = all.filter(({ status, kind }) => status === 'completed' && isWanted(kind, config));
  const files = wanted.length
    ? await db
        .select()
        .from(dataObjectFiles)
        .where(
          inArray(
            dataObjectFiles.dataObjectId,
            wanted.map(({ id }) => id),
          ),
        )
        .orderBy(asc(dataObjectFiles.fileName))
    : [];
  const taken = new Set<string>();
  return wanted.flatMap((dataObject) => {
    const folder = uniqueName(`${folders[dataObject.kind]}/${safeName(dataObject.name)}`, taken);
    const names = new Set<string>();
    const entries: ExportEntry[] = files
      .filter(({ dataObjectId }) => dataObjectId === dataObject.id)
      .map((file) => ({
        path: `${folder}/${uniqueName(safeName(file.fileName), names)}`,
        dataObject,
        content: { kind: 'file', file },
        expectedBytes: file.sizeBytes,
      }));
    if (dataObject.kind === 'volume' && dataObject.volumeKey) {
      entries.push({
        path: `${folder}/${uniqueName('volume.nrrd', names)}`,
        dataObject,
        content: { kind: 'volume', volumeKey: dataObject.volumeKey },
        expectedBytes: Math.max(
          0,
          dataObject.sizeBytes - entries.reduce((sum, e) => sum + e.expectedBytes, 0),
        ),
      });
    }
    return entries;
  });
}

function isWanted(kind: DataObjectKind, config: ExportConfig): boolean {
  if (kind === 'volume') return config.exportVolumes;
  if (kind === 'radiographs') return config.exportRadiographs;
  return config.exportMeshes;
}

/** Names the archive by project, part and day: `Hollow housing_HH-200_2026-11-21.zip`. */
export function exportFileName(
  project: { name: string; partNumber: string | null; serialNumber: string | null },
  at: Date,
): string {
  const parts = [project.name, project.partNumber, project.serialNumber]
    .filter((part): part is string => Boolean(part?.trim()))
    .map(safeName);
  return `${[...new Set(parts)].join('_').slice(0, 180)}_${at.toISOString().slice(0, 10)}.zip`;
}

const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;

/** A name that is one step of a path on every system: no separators, no control characters, no dots at its ends. */
export function safeName(name: string): string {
  const plain = name
    .normalize('NFC')
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
    .replace(/[\u0000-\u001f\u007f<>:"/\\|?*]/g, '-')
    .replace(/^[. ]+|[. ]+$/g, '')
    .slice(0, 120);
  if (plain === '') return 'unnamed';
  return reserved.test(plain) ? `_${plain}` : plain;
}

/** `name`, or `name (2)` … before its ending where it is taken; blind to case, as Windows and macOS are. */
export function uniqueName(name: string, taken: Set<string>): string {
  const dot = name.lastIndexOf('.');
  const [stem, ending] = dot > name.lastIndexOf('/') + 1 ? [name.slice(0, dot), name.slice(dot)] : [name, ''];
  let unique = name;
  for (let number = 2; taken.has(unique.toLowerCase()); number++) unique = `${stem} (${number})${ending}`;
  taken.add(unique.toLowerCase());
  return unique;
}
