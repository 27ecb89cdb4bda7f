/** Region that a ball rolling over a body reaches: the truth for voids that are open to the outside. */
import type { Vector3 } from '../../grid/volume.ts';

/** A grid of cells over a box. */
export interface Box {
  size: Vector3;
  stepMm: number;
  each(work: (at: number, x: number, y: number, z: number) => void): void;
}

export function fillBox({ min, max }: { min: Vector3; max: Vector3 }, stepMm: number, margin: number): Box {
  const size = min.map((from, k) => Math.ceil((max[k] - from + 2 * margin) / stepMm)) as Vector3;
  const [x0, y0, z0] = min.map((from) => from - margin + stepMm / 2);
  return {
    size,
    stepMm,
    each(work) {
      let at = 0;
      for (let z = 0; z < size[2]; z++)
        for (let y = 0; y < size[1]; y++)
          for (let x = 0; x < size[0]; x++) work(at++, x0 + x * stepMm, y0 + y * stepMm, z0 + z * stepMm);
    },
  };
}

/**
 * @returns 1 for cells reached by a ball of air that contains no material; outside the box the values at its faces
 * continue
 */
export function rollBall(
  box: Box,
  isAir: (x: number, y: number, z: number) => boolean,
  radiusMm: number,
): Uint8Array {
  const material = new Float64Array(box.size[0] * box.size[1] * box.size[2]);
  box.each((at, x, y, z) => {
    material[at] = isAir(x, y, z) ? Number.POSITIVE_INFINITY : 0;
  });
  const limit = (radiusMm / box.stepMm) ** 2;
  const toMaterial = squaredDistances(material, box.size);
  const fits = toMaterial.map((far) => (far >= limit ? 0 : Number.POSITIVE_INFINITY));
  return Uint8Array.from(squaredDistances(fits, box.size), (far) => (far <= limit ? 1 : 0));
}

/** @returns the distance of each cell from the region that the ball reaches, mm */
export const findDepths = (box: Box, reached: Uint8Array): Float64Array =>
  squaredDistances(
    Float64Array.from(reached, (is) => (is === 1 ? 0 : Number.POSITIVE_INFINITY)),
    box.size,
  ).map((far) => Math.sqrt(far) * box.stepMm);

/**
 * Squared distance to the nearest cell that is 0, in cells; Felzenszwalb and Huttenlocher 2012
 * (10.4086/toc.2012.v008a019).
 */
function squaredDistances(from: Float64Array, size: Vector3): Float64Array {
  const values = from.slice();
  const strides = [1, size[0], size[0] * size[1]];
  const longest = Math.max(...size);
  const [line, places, bounds] = [
    new Float64Array(longest),
    new Int32Array(longest),
    new Float64Array(longest + 1),
  ];
  for (const [axis, stride] of strides.entries()) {
    const length = size[axis];
    for (let start = 0; start < values.length; start++) {
      if (Math.floor(start / stride) % length !== 0) continue;
      let last = -1;
      for (let q = 0; q < length; q++) {
        line[q] = values[start + q * stride];
        if (line[q] === Number.POSITIVE_INFINITY) continue;
        let cross = Number.NEGATIVE_INFINITY;
        while (last >= 0) {
          const p = places[last];
          cross = (line[q] + q * q - line[p] - p * p) / (2 * (q - p));
          if (cross > bounds[last]) break;
          last--;
        }
        if (last < 0) cross = Number.NEGATIVE_INFINITY;
        last++;
        places[last] = q;
        bounds[last] = cross;
      }
      if (last < 0) continue;
      for (let q = 0, k = 0; q < length; q++) {
        while (k < last && bounds[k + 1] < q) k++;
        const p = places[k];
        values[start + q * stride] = (q - p) ** 2 + line[p];
      }
    }
  }
  return values;
}
