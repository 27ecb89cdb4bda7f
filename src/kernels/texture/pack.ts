/** Position of each rectangle's upper left corner. */
export interface Packed {
  x: Int32Array;
  y: Int32Array;
}

/**
 * Packs rectangles into a square without overlap: always at the lowest free position, with the widest rectangle that
 * fits, the tallest among equally wide ones (best fit; Burke, Kendall, Whitwell 2004, doi:10.1287/opre.1040.0109). The
 * result is the same on every machine.
 * @param widths, heights integers ≥ 1
 * @returns null if they don't fit
 */
export function packRectangles(widths: Int32Array, heights: Int32Array, size: number): Packed | null {
  const count = widths.length;
  let area = 0;
  for (let i = 0; i < count; i++) {
    if (widths[i] > size || heights[i] > size) return null;
    area += widths[i] * heights[i];
  }
  if (area > size * size) return null;
  const buckets = bucketsByWidth(widths, heights, size);
  const x = new Int32Array(count);
  const y = new Int32Array(count);
  // The skyline from left to right: start and height of each step; neighbours never have equal heights.
  const starts = [0];
  const tops = [0];
  for (let placed = 0; placed < count; ) {
    let lowest = 0;
    for (let i = 1; i < tops.length; i++) if (tops[i] < tops[lowest]) lowest = i;
    const from = starts[lowest];
    const gap = (starts[lowest + 1] ?? size) - from;
    const chosen = buckets.take(gap, size - tops[lowest]);
    if (chosen < 0) {
      // Nothing fits here: the gap is given up, to the height of its lower neighbour.
      const left = lowest > 0 ? tops[lowest - 1] : Infinity;
      const right = lowest + 1 < tops.length ? tops[lowest + 1] : Infinity;
      const raised = Math.min(left, right);
      if (raised === Infinity) return null;
      tops[lowest] = raised;
    } else {
      x[chosen] = from;
      y[chosen] = tops[lowest];
      placed++;
      if (widths[chosen] < gap) {
        starts.splice(lowest + 1, 0, from + widths[chosen]);
        tops.splice(lowest + 1, 0, tops[lowest]);
      }
      tops[lowest] += heights[chosen];
    }
    for (let i = Math.min(lowest + 1, tops.length - 1); i > 0 && i >= lowest; i--) {
      if (tops[i] !== tops[i - 1]) continue;
      tops.splice(i, 1);
      starts.splice(i, 1);
    }
  }
  return { x, y };
}

/** Rectangles grouped by width, the tallest first. */
function bucketsByWidth(widths: Int32Array, heights: Int32Array, size: number) {
  const order = Uint32Array.from(widths.keys()).sort(
    (a, b) => widths[a] - widths[b] || heights[b] - heights[a] || a - b,
  );
  // first[w] … first[w + 1] − 1 are the rectangles of width w in the order; `at` advances as they are taken.
  const first = new Uint32Array(size + 2);
  for (const width of widths) first[width + 1]++;
  for (let w = 0; w <= size; w++) first[w + 1] += first[w];
  const at = first.slice();
  // The largest non-empty width of at most w, 0 = none; paths are compressed while they are followed.
  const down = new Int32Array(size + 1);
  for (let w = 1; w <= size; w++) down[w] = first[w] < first[w + 1] ? w : w - 1;
  const widestUpTo = (width: number): number => {
    let w = width;
    while (down[w] !== w) {
      down[w] = down[down[w]];
      w = down[w];
    }
    return w;
  };
  return {
    /** Removes and returns the widest rectangle within the width and height; −1 = none. */
    take(width: number, height: number): number {
      for (let w = widestUpTo(width); w > 0; w = widestUpTo(w - 1)) {
        const index = order[at[w]];
        if (heights[index] > height) continue;
        at[w]++;
        if (at[w] === first[w + 1]) down[w] = w - 1;
        return index;
      }
      return -1;
    },
  };
}
