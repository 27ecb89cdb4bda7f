/** Determined surfaces of a project's scans, shared between analyses. */
import { createHash } from 'node:crypto';
import { and, asc, eq, sql } from 'drizzle-orm';
import type { AnalysisContext, StoredSurface } from '#analyses/analysis.ts';
import { metadataSchemas } from '#contract/analyses/data-kinds.ts';
import type { PartMeasures } from '#contract/metadata/surface.ts';
import { type DataObjectRow, dataObjectFiles, dataObjects, narrowRow } from '#storage/db/schema-data.ts';
import type { MeasuredPart, NewDataObject } from '../results/write-results.ts';
import type { OperationWork } from '../work/work.ts';
import { storeFiles } from './store-files.ts';

/** Name of the file whose hash identifies a surface. */
const recordName = 'surface.json';

interface UsedSurface {
  dataObjectId: string;
  volume: DataObjectRow;
  stored: StoredSurface;
  key: string;
  /** of the record; null when it is not stored yet */
  sha256: string | null;
  /** what this operation measured of the part */
  part?: PartMeasures;
}

export interface SharedSurfaces {
  surface: AnalysisContext['surface'];
  /** Stores what was determined here. @returns the new surfaces, and all of them as inputs of the result */
  finish(): Promise<{
    made: (NewDataObject & { id: string })[];
    parts: MeasuredPart[];
    inputs: { dataObjectId: string; sha256: string | null }[];
  }>;
}

/**
 * A surface's key covers everything it depends on, and its id derives from the key and the project: two analyses that
 * determine the same surface at once name the same data object, and the first to end writes it.
 * @param rowOf returns the volume with an id
 */
export function openSharedSurfaces(
  { row: { projectId }, context: { db, store }, blobs }: Pick<OperationWork, 'row' | 'context' | 'blobs'>,
  rowOf: (id: string) => Promise<DataObjectRow>,
): SharedSurfaces {
  const used = new Map<string, Promise<UsedSurface>>();

  async function findStored(key: string, volume: DataObjectRow): Promise<UsedSurface | undefined> {
    const [row] = await db
      .select()
      .from(dataObjects)
      .where(
        and(
          eq(dataObjects.projectId, projectId),
          eq(dataObjects.kind, 'surface'),
          sql`${dataObjects.metadata}->>'key' = ${key}`,
        ),
      )
      .orderBy(asc(dataObjects.createdAt))
      .limit(1);
    const surface = row && narrowRow(row, 'surface');
    if (!surface) return undefined;
    const rows = await db.select().from(dataObjectFiles).where(eq(dataObjectFiles.dataObjectId, row.id));
    const files = await Promise.all(
      rows.map(async ({ fileName, mediaType, blobKey }) => ({
        fileName,
        mediaType,
        parts: [await store.read(blobKey)],
      })),
    );
    const sha256 = rows.find(({ fileName }) => fileName === recordName)?.sha256 ?? null;
    return { dataObjectId: row.id, volume, stored: { metadata: surface.metadata, files }, key, sha256 };
  }

  return {
    async surface(volumeId, restsOn, determine) {
      const volume = await rowOf(volumeId);
      const key = computeHash({ volume: describeVolume(volume), restsOn });
      const find = async (): Promise<UsedSurface> => {
        const stored = await findStored(key, volume);
        if (stored) return stored;
        const dataObjectId = deriveId(`${projectId} ${key}`);
        return { dataObjectId, volume, stored: await determine(), key, sha256: null };
      };
      const known = used.get(key) ?? find();
      used.set(key, known);
      const surface = await known;
      const keepPart = (part: PartMeasures) => {
        surface.part = part;
      };
      return { ...surface.stored, keepPart };
    },
    async finish() {
      const made: (NewDataObject & { id: string })[] = [];
      const inputs: { dataObjectId: string; sha256: string | null }[] = [];
      const parts: MeasuredPart[] = [];
      for (const { dataObjectId: id, volume, stored, key, sha256, part } of await Promise.all(
        used.values(),
      )) {
        if (part) parts.push({ surfaceId: id, part });
        if (sha256 !== null) {
          inputs.push({ dataObjectId: id, sha256 });
          continue;
        }
        const files = await storeFiles(stored.files, blobs);
        const metadata = metadataSchemas.surface.parse({ ...stored.metadata, key });
        made.push({ id, kind: 'surface', name: `Surface of ${volume.name}`, metadata, files });
        const record = files.find(({ fileName }) => fileName === recordName);
        inputs.push({ dataObjectId: id, sha256: record?.sha256 ?? null });
      }
      return { made, parts, inputs };
    },
  };
}

const computeHash = (value: object): string =>
  createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** A version 8 UUID, derived from a hash. */
function deriveId(text: string): string {
  const hex = createHash('sha256').update(text).digest('hex');
  const variant = (8 + (Number.parseInt(hex.charAt(16), 16) % 4)).toString(16);
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `${variant}${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ].join('-');
}

/**
 * Identity of a volume by its values and grid: equal for copies, and for the same file imported with the same settings.
 */
function describeVolume(row: DataObjectRow): object {
  const volume = narrowRow(row, 'volume', 'radiographs');
  if (!volume) return { id: row.id };
  const { metadata } = volume;
  return {
    sha256: metadata.valuesSha256 ?? ('sourceSha256' in metadata ? metadata.sourceSha256 : row.volumeKey),
    dimensions: metadata.dimensions,
    voxelSizeMm: metadata.voxelSizeMm,
    dataType: metadata.dataType,
    range: metadata.range,
    histogram: metadata.histogram.counts,
  };
}
