import { asc } from 'drizzle-orm';
import { among } from '#storage/db/among.ts';
import type { Executor } from '#storage/db/connection.ts';
import { dataObjectFiles, type FileRow } from '#storage/db/schema-data.ts';

/** The files of data objects, sorted by name. */
export const listFiles = (db: Executor, dataObjectIds: readonly string[]): Promise<FileRow[]> =>
  db
    .select()
    .from(dataObjectFiles)
    .where(among(dataObjectFiles.dataObjectId, dataObjectIds))
    .orderBy(asc(dataObjectFiles.fileName));
