import type { ResultFile } from '#analyses/analysis.ts';
import type { StoredFile } from '../results/write-results.ts';
import type { WorkBlobs } from '../work/work-blobs.ts';

/** Writes the files of a data object; the rows come with the end of the work. */
export async function storeFiles(files: readonly ResultFile[], blobs: WorkBlobs): Promise<StoredFile[]> {
  const stored: StoredFile[] = [];
  for (const { fileName, mediaType, bytes } of files) {
    const { key, sizeBytes, sha256 } = await blobs.put('files', bytes, mediaType);
    stored.push({ fileName, mediaType, sizeBytes, sha256, blobKey: key });
  }
  return stored;
}
