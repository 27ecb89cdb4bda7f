import { eq } from 'drizzle-orm';
import { addViewDoubts } from '#contract/analyses/scan-findings.ts';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import { readUntil } from '#kernels/grid/read-until.ts';
import { judgeScan } from '#kernels/quality/judge-scan.ts';
import { type DataObjectRow, dataObjects, narrowRow } from '#storage/db/schema-data.ts';
import { operations } from '#storage/db/schema-work.ts';
import type { WorkerContext } from './context.ts';
import { openStoredVolume } from './stored-volume.ts';

/**
 * Quality of the scan that a data object is, or was made from. Scans imported by earlier versions are judged now.
 * @returns null when there is no scan, or it is gone; `unjudged` when the scan is too small or too unusual
 */
export async function readScanQuality(
  { db, store }: Pick<WorkerContext, 'db' | 'store'>,
  row: DataObjectRow,
  signal: AbortSignal,
): Promise<ScanQuality | 'unjudged' | null> {
  let scan: DataObjectRow | undefined = row;
  // A mesh is made from a scan, and other meshes from that: no chain is longer.
  for (let step = 0; scan && scan.volumeKey === null && step < 4; step++)
    scan = await findSource({ db }, scan);
  const volume = scan?.volumeKey ? narrowRow(scan, 'volume') : undefined;
  if (!scan || !volume) return null;
  const { quality = await judgeStored(store, scan, signal) } = volume.metadata;
  if (quality === null) return 'unjudged';
  return addViewDoubts(
    quality,
    scan.warnings.map(({ code }) => code),
    'reconstruction' in volume.metadata ? volume.metadata.reconstruction?.edgesInwardVoxels : undefined,
  );
}

/** Judges a stored scan. */
export async function judgeStored(
  store: WorkerContext['store'],
  scan: DataObjectRow,
  signal: AbortSignal,
): Promise<ScanQuality | null> {
  return judgeScan(readUntil(await openStoredVolume(store, scan), signal));
}

async function findSource(
  { db }: Pick<WorkerContext, 'db'>,
  { createdByOperationId, id }: DataObjectRow,
): Promise<DataObjectRow | undefined> {
  if (createdByOperationId === null) return undefined;
  const [made] = await db
    .select({ inputs: operations.inputDataObjectIds })
    .from(operations)
    .where(eq(operations.id, createdByOperationId));
  const input = made?.inputs.find((each) => each !== id);
  if (input === undefined) return undefined;
  const [source] = await db.select().from(dataObjects).where(eq(dataObjects.id, input));
  return source;
}
