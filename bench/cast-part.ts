/** A typical casting for benches: a housing with ribs, bosses, bores, a flange and gas pores. */
import type { Vector3 } from '#kernels/grid/volume.ts';
import { seededNormal, seededRandom } from '#kernels/random.ts';

/** The part is drawn in 512 cells; other edges scale it. */
const drawn = 512;
const blockEdge = 8;
const poreCount = 400;
/** Grey values; noise is 4 % of the contrast by default. */
const [air, material, usualNoise] = [8000, 40000, 1280];

const boxAt = (x: number, y: number, z: number, hx: number, hy: number, hz: number, round: number) => {
  const [qx, qy, qz] = [Math.abs(x) - hx + round, Math.abs(y) - hy + round, Math.abs(z) - hz + round];
  const outside = Math.hypot(Math.max(qx, 0), Math.max(qy, 0), Math.max(qz, 0));
  return outside + Math.min(Math.max(qx, qy, qz), 0) - round;
};

/**
 * Signed distance to the surface, in cells of the drawing, negative inside; exact enough near the surface. The origin
 * is the middle.
 */
function housing(x: number, y: number, z: number): number {
  let d = boxAt(x, y, z, 200, 160, 170, 26);
  d = Math.max(d, -boxAt(x, y, z - 30, 180, 140, 178, 14));
  for (const rib of [-70, 0, 70]) d = Math.min(d, boxAt(x - rib, y, z + 90, 6, 150, 70, 2));
  d = Math.min(d, boxAt(x, y - 40, z + 100, 190, 5, 56, 2));
  const flange = Math.max(boxAt(x, y, z - 158, 222, 182, 12, 8), -boxAt(x, y, z - 158, 181, 141, 40, 14));
  d = Math.min(d, flange);
  for (const sx of [-1, 1]) {
    for (const sy of [-1, 1]) {
      const r = Math.hypot(x - sx * 165, y - sy * 125);
      d = Math.min(d, Math.max(r - 32, Math.abs(z) - 165));
      d = Math.max(d, 9 - r);
    }
  }
  const pipe = Math.hypot(x - 20, z - 40);
  d = Math.min(d, Math.max(pipe - 62, Math.abs(y + 150) - 45));
  return Math.max(d, Math.min(46 - pipe, -90 - y));
}

interface Ball {
  center: Vector3;
  radius: number;
}

function poresIn(edge: number): Ball[] {
  const scale = edge / drawn;
  const random = seededRandom(7);
  const pores: Ball[] = [];
  while (pores.length < poreCount) {
    const place = [0, 1, 2].map(() => (random() - 0.5) * drawn) as Vector3;
    const radius = 1.5 + 5.5 * random() ** 3;
    if (housing(...place) > -radius - 2.5) continue;
    if (pores.some((p) => Math.hypot(...place.map((n, k) => n - p.center[k])) < radius + p.radius + 3))
      continue;
    pores.push({ center: place, radius });
  }
  const middle = (edge - 1) / 2;
  return pores.map(({ center, radius }) => ({
    center: center.map((n) => n * scale + middle) as Vector3,
    radius: radius * scale,
  }));
}

/** The part in edge³ voxels as uint16, `planes` at a time. */
export function* castPart(
  edge: number,
  planes: number,
  noise = usualNoise,
): Generator<Uint16Array<ArrayBuffer>> {
  const scale = drawn / edge;
  const middle = (edge - 1) / 2;
  const pores = poresIn(edge);
  const normal = seededNormal(3);
  const random = seededRandom(5);
  const noises = Float32Array.from({ length: 1 << 20 }, () => noise * normal());
  const near = (blockEdge / 2) * Math.sqrt(3) + 1;
  for (let first = 0; first < edge; first += planes) {
    const count = Math.min(planes, edge - first);
    const share = new Float32Array(edge * edge * count);
    for (let bz = 0; bz < count; bz += blockEdge) {
      for (let by = 0; by < edge; by += blockEdge) {
        for (let bx = 0; bx < edge; bx += blockEdge) {
          const half = (blockEdge - 1) / 2;
          const inCells = (x: number, y: number, z: number) =>
            housing((x - middle) * scale, (y - middle) * scale, (z - middle) * scale) / scale;
          const d = inCells(bx + half, by + half, first + bz + half);
          if (d > near) continue;
          for (let z = bz; z < Math.min(bz + blockEdge, count); z++) {
            for (let y = by; y < Math.min(by + blockEdge, edge); y++) {
              const row = (z * edge + y) * edge;
              const end = Math.min(bx + blockEdge, edge);
              if (d < -near) share.fill(1, row + bx, row + end);
              else {
                for (let x = bx; x < end; x++) {
                  share[row + x] = Math.min(Math.max(0.5 - inCells(x, y, first + z), 0), 1);
                }
              }
            }
          }
        }
      }
    }
    for (const { center, radius } of pores) {
      const reach = radius + 1;
      for (let z = Math.max(0, Math.floor(center[2] - reach) - first); z < count; z++) {
        if (first + z > center[2] + reach) break;
        for (let y = Math.floor(center[1] - reach); y <= center[1] + reach; y++) {
          for (let x = Math.floor(center[0] - reach); x <= center[0] + reach; x++) {
            const d = Math.hypot(x - center[0], y - center[1], first + z - center[2]) - radius;
            share[(z * edge + y) * edge + x] *= Math.min(Math.max(0.5 + d, 0), 1);
          }
        }
      }
    }
    const slab = new Uint16Array(share.length);
    for (let row = 0; row < share.length; row += edge) {
      const offset = Math.floor(random() * (noises.length - edge));
      for (let x = 0; x < edge; x++) {
        slab[row + x] = air + (material - air) * share[row + x] + noises[offset + x] + 0.5;
      }
    }
    yield slab;
  }
}
