import { malformed } from '../format-error.ts';
import type { ByteSource } from './byte-source.ts';

const base = (path: string) => path.replace(/\\/g, '/').split('/').pop() ?? path;

/**
 * The file that a header refers to, among the files that came with it: by its name without folders, first
 * exactly, then without regard to case.
 */
export function companion(header: ByteSource, reference: string, sources: readonly ByteSource[]): ByteSource {
  const wanted = base(reference.trim());
  const others = sources.filter((source) => source !== header);
  const found =
    others.find((source) => base(source.name) === wanted) ??
    others.find((source) => base(source.name).toLowerCase() === wanted.toLowerCase());
  if (!found) {
    throw malformed(
      `${header.name} keeps its data in "${wanted}", which is not there; supply both files, for example in one zip.`,
    );
  }
  return found;
}

/** Most file names that a numbered pattern or list may give. */
const maximumFiles = 100_000;

/** The names that a C pattern with one `%d` gives for from … to by step. */
export function numberedNames(
  pattern: string,
  from: number,
  to: number,
  step: number,
  where: string,
): string[] {
  if (![from, to, step].every(Number.isInteger) || step === 0 || (to - from) / step < 0) {
    throw malformed(
      `${where}: the numbers ${from} to ${to} by ${step} of the file pattern "${pattern}" give no list.`,
    );
  }
  if ((to - from) / step >= maximumFiles)
    throw malformed(`${where}: the file pattern gives more than ${maximumFiles} names.`);
  const names: string[] = [];
  for (let n = from; step > 0 ? n <= to : n >= to; n += step) {
    names.push(
      pattern.replace(/%(0?)(\d{0,2})[di]/, (_, zero: string, width: string) =>
        String(n).padStart(Number(width), zero || ' '),
      ),
    );
  }
  return names;
}
