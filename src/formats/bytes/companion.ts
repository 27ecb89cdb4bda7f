import { malformed } from '../format-error.ts';
import type { ByteSource, Sources } from './byte-source.ts';

/** The name without folders; macOS writes accents as signs of their own, other systems do not. */
const base = (path: string) => (path.replace(/\\/g, '/').split('/').pop() ?? path).normalize('NFC');

/** Longer than any system lets a path be. */
const longestReference = 4096;

/** What a header says of its data files, before a pattern is looked for in it. */
export function checkReference(reference: string, where: string): string {
  if (reference.length <= longestReference) return reference;
  throw malformed(
    `${where}: the name of the data file has ${reference.length} characters, which is no name.`,
  );
}

/**
 * The files that a header refers to, among those that came with it: by their names without folders, first exactly, then
 * without regard to case. Each may be named once: a small file that is listed a million times is no volume.
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
