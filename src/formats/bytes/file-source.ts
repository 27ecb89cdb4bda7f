import { open } from 'node:fs/promises';
import { basename } from 'node:path';
import type { ByteSource } from './byte-source.ts';

export interface FileSource extends ByteSource {
  close(): Promise<void>;
}

/** A file on disk as a source, to be closed after use. Node only; in browsers use `blobSource`. */
export async function openFileSource(path: string, name = basename(path)): Promise<FileSource> {
  const handle = await open(path, 'r');
  const { size } = await handle.stat();
  return {
    name,
    size,
    read: async (offset, length) => {
      const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
      let done = 0;
      while (done < bytes.length) {
        const { bytesRead } = await handle.read(bytes, done, bytes.length - done, offset + done);
        if (bytesRead === 0) break;
        done += bytesRead;
      }
      return done === bytes.length ? bytes : bytes.subarray(0, done);
    },
    close: () => handle.close(),
  };
}
