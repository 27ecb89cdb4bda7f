import { type ByteSource, readExactly } from './bytes/byte-source.ts';
import { malformed } from './format-error.ts';
import { readZipDirectory } from './zip/zip-directory.ts';
import { UnpackedCache, zipEntrySource } from './zip/zip-entry-source.ts';

export interface NamedFile {
  /** path inside an archive, or the file name */
  path: string;
  source: ByteSource;
  /** the ZIP that contains it */
  archive?: ByteSource;
}

/** Files that operating systems add to archives. */
const junk = /(^|\/)(__MACOSX|\.[^/]*|thumbs\.db|desktop\.ini)(\/|$)/i;

export const hasContent = ({ path, source }: NamedFile): boolean => !junk.test(path) && source.size > 0;

/** The files, and those inside ZIPs, including files added by operating systems. */
export async function openArchives(sources: readonly ByteSource[]): Promise<NamedFile[]> {
  if (sources.length === 0) throw malformed('There is no file.');
  const files: NamedFile[] = [];
  for (const source of sources) {
    if (source.size === 0) throw malformed(`${source.name} is empty.`);
    const head = await readExactly(source, 0, Math.min(4, source.size), 'the beginning');
    const isZip = head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5);
    if (!isZip) {
      files.push({ path: source.name, source });
      continue;
    }
    const cache = new UnpackedCache();
    for (const entry of await readZipDirectory(source)) {
      files.push({ path: entry.path, source: zipEntrySource(source, entry, cache), archive: source });
    }
  }
  return files;
}
