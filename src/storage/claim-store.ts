/**
 * Ties the file store to its database. If two hosts on one database used separate folders, each would silently miss half of
 * the uploads, so the second host is refused.
 */
import { randomUUID } from 'node:crypto';
import { desc, eq, sql } from 'drizzle-orm';
import { BlobNotFound, type BlobStore } from './blobs/blob-store.ts';
import type { Config } from './config.ts';
import { type Database, type Executor, inTransaction } from './db/connection.ts';
import { blobs } from './db/schema-projects.ts';
import { settings } from './db/schema-system.ts';
import { settingOnce } from './db/settings.ts';

/** File with the id of the installation that owns the store. */
export const MARK = 'installation.json';
const CLAIMED = 'storeClaimed';
const SAMPLE = 5;

/** The folder or bucket belongs to another database; the message is a single line for the operator. */
export class WrongStore extends Error {
  override name = 'WrongStore';
}

async function readMark(store: BlobStore): Promise<string | undefined> {
  try {
    const { id } = JSON.parse(Buffer.from(await store.read(MARK)).toString()) as { id?: unknown };
    return String(id);
  } catch (error) {
    if (error instanceof BlobNotFound) return undefined;
    if (error instanceof SyntaxError) return 'unreadable';
    throw error;
  }
}

/** Whether the store contains the files listed in the database; true when none are listed yet. */
async function holdsNamedFiles(db: Executor, store: BlobStore): Promise<boolean> {
  const named = await db
    .select({ key: blobs.key })
    .from(blobs)
    .where(eq(blobs.kind, 'object'))
    .orderBy(desc(blobs.createdAt))
    .limit(SAMPLE);
  if (named.length === 0) return true;
  const heads = await Promise.all(named.map(({ key }) => store.head(key)));
  return heads.some((head) => head !== undefined);
}

/**
 * Marks the store as belonging to this database at the first start, and checks the mark at later starts.
 *
 * @throws WrongStore
 */
export async function claimStore(
  db: Database,
  store: BlobStore,
  { dataDir, s3 }: Pick<Config, 'dataDir' | 's3'>,
): Promise<void> {
  const place = s3 ? `S3_BUCKET=${s3.bucket}` : `DATA_DIR=${dataDir}`;
  const advice = s3
    ? 'name the bucket that was used before'
    : 'every host of a database needs the same folder (shared between them), or a bucket (S3_BUCKET)';
  const id = await settingOnce(db, 'installationId', () => randomUUID());
  await inTransaction(db, async (tx) => {
    // Serializes hosts that start at the same time.
    await tx.execute(sql`select pg_advisory_xact_lock(hashtextextended('claim store', 0))`);
    const mark = await readMark(store);
    if (mark !== undefined && mark !== id)
      throw new WrongStore(`${place} holds the files of another database: ${advice}`);
    const [claimed] = await tx.select().from(settings).where(eq(settings.key, CLAIMED));
    if (mark === undefined) {
      if (claimed || !(await holdsNamedFiles(tx, store)))
        throw new WrongStore(`${place} does not hold the files of this database: ${advice}`);
      await store.put(MARK, Buffer.from(`${JSON.stringify({ id })}\n`), { mediaType: 'application/json' });
    }
    if (!claimed) await tx.insert(settings).values({ key: CLAIMED, value: true });
  });
}
