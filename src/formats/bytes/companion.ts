import { malformed } from '../format-error.ts';
import type { ByteSource, Sources } from './byte-source.ts';

/** File name without folders, in NFC: macOS stores accents as separate characters. */
const base = (path: string) => (path.replace(/\\/g, '/').split('/').pop() ?? path).normalize('NFC');

/** Longer than paths can be on any system. */
const longestReference = 4096;

/** Checks a header's reference to its data files before it is interpreted as a pattern. */
export function checkReference(reference: string, where: string): string {
  if (reference.length <= longestReference) return reference;
  throw malformed(
    `${where}: the name of the data file has ${reference.length} characters, which is no name.`,
  );
}

/**
 * Finds the files that a header refers to among the uploaded ones, by name without folders, first exactly, then
 * ignoring case. Each may be named once: a small file listed a million times is no volume.
 */
export function companions(
  header: ByteSource,
  references: readonly string[],
  sources: Sources,
): ByteSource[] {
  const exact = new Map<string, ByteSource>();
  const folded = new Map<string, ByteSource>();
  for (const source of sources) {
    if (source === header) continue;
    const name = base(source.name);
    if (!exact.has(name)) exact.set(name, source);
    if (!folded.has(name.toLowerCase())) folded.set(name.toLowerCase(), source);
  }
  const named = new Set<ByteSource>();
  for (const reference of references) {
    const wanted = base(reference.trim());
    const found = exact.get(wanted) ?? folded.get(wanted.toLowerCase());
    if (!found) {
      throw malformed(
        `${header.name} keeps its data in "${wanted}", which is not there; supply both files, for example in one zip.`,
      );
    }
    if (named.has(found)) throw malformed(`${header.name} names the data file "${wanted}" twice.`);
    named.add(found);
  }
  return [...named];
}

/** Largest number of file names that a numbered pattern or list may give. */
const maximumFiles = 100_000;

/** File names of a C pattern with one `%d`, numbered from … to by step. */
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
