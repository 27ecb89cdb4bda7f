/** Locations of data outside of the database, shared by service and worker. */
import path from 'node:path';
import type { BlobStore } from './blobs/blob-store.ts';
import { openDiskStore } from './blobs/disk-store.ts';
import { openS3Store } from './blobs/s3-store.ts';
import type { Config } from './config.ts';

export const blobFolder = (config: Pick<Config, 'dataDir'>): string => path.join(config.dataDir, 'blobs');

/** Opens the configured blob store: a bucket, or a folder below DATA_DIR. */
export function openBlobStore(config: Pick<Config, 'dataDir' | 's3'>): Promise<BlobStore> {
  return config.s3 ? openS3Store(config.s3) : openDiskStore(blobFolder(config));
}

/** Folder for incoming uploads; each file is named by the upload's id until its import has taken it over. */
export const uploadFolder = (config: Pick<Config, 'dataDir'>): string => path.join(config.dataDir, 'uploads');

export const uploadFile = (config: Pick<Config, 'dataDir'>, uploadId: string): string =>
  path.join(uploadFolder(config), uploadId);
