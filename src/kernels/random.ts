/** Uniform numbers 0 ≤ x < 1 from a seed (mulberry32, public domain, Tommy Ettinger). */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Standard normal numbers (Box and Muller 1958, doi:10.1214/aoms/1177706645). */
export function seededNormal(seed: number): () => number {
  const random = seededRandom(seed);
  let spare = Number.NaN;
  return () => {
    if (!Number.isNaN(spare)) {
      const value = spare;
      spare = Number.NaN;
      return value;
    }
    const length = Math.sqrt(-2 * Math.log(1 - random()));
    const angle = 2 * Math.PI * random();
    spare = length * Math.sin(angle);
    return length * Math.cos(angle);
  };
}
