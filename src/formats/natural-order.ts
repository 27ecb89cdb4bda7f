/** Natural order of names: runs of digits compare by value, so slice2 comes before slice10; the rest by letter. */
export function compareNaturally(a: string, b: string): number {
  const partsA = a.toLowerCase().match(/\d+|\D+/g) ?? [];
  const partsB = b.toLowerCase().match(/\d+|\D+/g) ?? [];
  for (const [i, x] of partsA.entries()) {
    const y = partsB[i];
    if (y === undefined) break;
    if (x === y) continue;
    const numeric = /^\d/.test(x) && /^\d/.test(y);
    if (numeric) {
      const [p, q] = [x.replace(/^0+(?=\d)/, ''), y.replace(/^0+(?=\d)/, '')];
      if (p.length !== q.length) return p.length - q.length;
      if (p !== q) return p < q ? -1 : 1;
      continue; // 07 and 7: the rest decides, the length at last
    }
    return x < y ? -1 : 1;
  }
  return partsA.length - partsB.length || (a < b ? -1 : a > b ? 1 : 0);
}

/** A sentence about a gap in the last number of sorted names: a missing slice is easily overlooked. */
export function gapInNumbers(names: readonly string[]): string | undefined {
  let before: number | undefined;
  let step: number | undefined;
  for (const name of names) {
    const digits = /(\d+)\D*$/.exec(name.replace(/\.[a-z0-9]+$/i, ''))?.[1];
    if (digits === undefined || digits.length > 15) return undefined;
    const value = Number(digits);
    if (before !== undefined) {
      step ??= value - before;
      if (value - before !== step)
        return `The numbers of the slices jump from ${before} to ${value}; a slice may be missing.`;
    }
    before = value;
  }
  return undefined;
}
