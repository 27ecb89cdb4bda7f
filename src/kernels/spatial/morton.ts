/** Spreads the low 10 bits of a number: two zeros after each. */
function spread(value: number): number {
  let bits = value & 0x3ff;
  bits = (bits | (bits << 16)) & 0x030000ff;
  bits = (bits | (bits << 8)) & 0x0300f00f;
  bits = (bits | (bits << 4)) & 0x030c30c3;
  return (bits | (bits << 2)) & 0x09249249;
}

/**
 * Order of the points along a Z curve (Morton 1966) of 1024³ cells over their bounding box, so that neighbours in the
 * order are neighbours in space. Stable for equal cells. Non-finite points count as cell 0.
 * @param points xyz, 3 · n, in any unit
 * @returns n indices; O(n)
 */
export function mortonOrder(points: Float32Array | Float64Array): Uint32Array {
  const count = points.length / 3;
  const codes = new Uint32Array(count);
  for (let k = 0; k < 3; k++) {
    let min = Number.POSITIVE_INFINITY;
    let max = Number.NEGATIVE_INFINITY;
    for (let i = k; i < points.length; i += 3) {
      if (points[i] < min) min = points[i];
      if (points[i] > max && points[i] < Number.POSITIVE_INFINITY) max = points[i];
    }
    const scale = max > min ? 1023.999 / (max - min) : 0;
    for (let i = 0; i < count; i++) {
      const cell = (points[3 * i + k] - min) * scale;
      codes[i] |= spread(cell >= 0 && cell < 1024 ? cell : 0) << k;
    }
  }
  // Stable radix sort with 10 bits per pass, three passes.
  let order = new Uint32Array(count).map((_, i) => i);
  let target = new Uint32Array(count);
  for (let shift = 0; shift < 30; shift += 10) {
    const starts = new Uint32Array(1025);
    for (let i = 0; i < count; i++) starts[((codes[i] >>> shift) & 1023) + 1]++;
    for (let digit = 0; digit < 1024; digit++) starts[digit + 1] += starts[digit];
    for (let i = 0; i < count; i++) target[starts[(codes[order[i]] >>> shift) & 1023]++] = order[i];
    [order, target] = [target, order];
  }
  return order;
}
