/** Where an installation keeps what is not in the database: agreed on by service and worker. */
import path from 'node:path';
import type { BlobStore } from './blobs/blob-store.ts';
import { openDiskStore } from './blobs/disk-store.ts';
import { openS3Store } from './blobs/s3-store.ts';
import type { Config } from './config.ts';

export const blobFolder = (config: Pick<Config, 'dataDir'>): string => path.join(config.dataDir, 'blobs');

/** The blob store that the settings name: a bucket, or a folder below DATA_DIR. */
export function openBlobStore(config: Pick<Config, 'dataDir' | 's3'>): Promise<BlobStore> {
  return config.s3 ? openS3Store(config.s3) : openDiskStore(blobFolder(config));
}

/** Where uploads arrive; each file has the upload's id as its name until its ingest has taken it over. */
export const uploadFolder = (config: Pick<Config, 'dataDir'>): string => path.join(config.dataDir, 'uploads');

export const uploadFile = (config: Pick<Config, 'dataDir'>, uploadId: string): string =>
  path.join(uploadFolder(config), uploadId);
