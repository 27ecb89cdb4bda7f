/** Where this installation keeps its bytes: a bucket when one is set, the data folder otherwise. */
import path from 'node:path';
import type { Config } from '../config.ts';
import type { BlobStore } from './blob-store.ts';
import { openDiskStore } from './disk-store.ts';
import { openS3Store } from './s3-store.ts';

export const openBlobs = (config: Pick<Config, 's3' | 'dataDir'>): Promise<BlobStore> =>
  config.s3 ? openS3Store(config.s3) : openDiskStore(path.join(config.dataDir, 'blobs'));
