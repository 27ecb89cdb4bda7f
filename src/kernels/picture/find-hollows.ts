/**
 * Ambient occlusion as in the viewer (web/viewer/engine/frame-shaders.ts): the share of ambient light that reaches each
 * place. After M. McGuire et al. (2011), “The Alchemy screen-space ambient obscurance algorithm”,
 * https://doi.org/10.1145/2018323.2018327
 */
import { type Camera, distanceMm, frame } from '../grid/camera.ts';
import type { Band } from './place-triangles.ts';

/** Sample points around each place, on a spiral of seven turns. */
const spiral = 12;
const spiralTurns = 43.9822971;
/** Their positions for a radius of 1, before the spiral is rotated. */
const spiralPlaces = Array.from({ length: spiral }, (_, i) => {
  const share = (i + 0.5) / spiral;
  return { u: share * Math.cos(share * spiralTurns), v: share * Math.sin(share * spiralTurns) };
});
/** Samples averaged to each side. */
const blurred = 2;

/**
 * @param band all of a picture with normals, at half resolution
 * @param radiusMm search radius
 * @returns share of the light at each sample of the band, 1 = all; smoothed where the depth is continuous. O(samples)
 */
export function findHollows(band: Band, camera: Camera, radiusMm: number): Float32Array {
  const light = shareLight(band, camera, radiusMm);
  const { width, depth } = band;
  const height = depth.length / width;
  const pixelAt = measurePixels(camera, height);
  const smooth = new Float32Array(light.length).fill(1);
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      const away = depth[y * width + x];
      if (away === Infinity) continue;
      const within = 4 * pixelAt(away);
      let [sum, weights] = [0, 0];
      for (let v = Math.max(0, y - blurred); v <= Math.min(height - 1, y + blurred); v++)
        for (let u = Math.max(0, x - blurred); u <= Math.min(width - 1, x + blurred); u++) {
          const weight = Math.max(0, 1 - Math.abs(depth[v * width + u] - away) / within);
          sum += weight * light[v * width + u];
          weights += weight;
        }
      smooth[y * width + x] = sum / weights;
    }
  return smooth;
}

function shareLight({ width, depth, normals }: Band, camera: Camera, radiusMm: number): Float32Array {
  const height = depth.length / width;
  const { right, up, towards } = frame(camera);
  const pixelAt = measurePixels(camera, height);
  const light = new Float32Array(depth.length).fill(1);
  for (let at = 0; at < depth.length; at++) {
    const away = depth[at];
    if (away === Infinity) continue;
    const [nx, ny, nz] = [normals[3 * at], normals[3 * at + 1], normals[3 * at + 2]];
    const aside = nx * right[0] + ny * right[1] + nz * right[2];
    const above = nx * up[0] + ny * up[1] + nz * up[2];
    const facing = nx * towards[0] + ny * towards[1] + nz * towards[2];
    const mm = pixelAt(away);
    const radiusPx = Math.max(1.5, Math.min(0.12 * height, radiusMm / mm));
    const reachMm = radiusPx * mm;
    const x = at % width;
    const y = (at - x) / width;
    const turn = 2 * Math.PI * ((52.9829189 * ((0.06711056 * (x + 0.5) + 0.00583715 * (y + 0.5)) % 1)) % 1);
    const cos = radiusPx * Math.cos(turn);
    const sin = radiusPx * Math.sin(turn);
    let hidden = 0;
    for (let i = 0; i < spiral; i++) {
      const place = spiralPlaces[i];
      const u = Math.min(width - 1, Math.max(0, Math.round(x + cos * place.u - sin * place.v)));
      const v = Math.min(height - 1, Math.max(0, Math.round(y + sin * place.u + cos * place.v)));
      const rises = away - depth[v * width + u];
      const [dx, dy] = [(u - x) * mm, (y - v) * mm];
      const square = dx * dx + dy * dy + rises * rises;
      // Background, or too far behind or in front.
      if (!(square < reachMm * reachMm)) continue;
      const before = Math.max(0, dx * aside + dy * above + rises * facing - 0.04 * reachMm);
      hidden += ((1 - square / (reachMm * reachMm)) * before) / Math.sqrt(square + 1e-12);
    }
    light[at] = Math.min(1, Math.max(0, 1 - (2.2 * hidden) / spiral));
  }
  return light;
}

/** Height of a sample at a depth, mm. */
function measurePixels({ projection, heightMm }: Camera, height: number): (away: number) => number {
  const mm = heightMm / height;
  return projection === 'perspective' ? (away) => (mm * away) / distanceMm(heightMm) : () => mm;
}

/** Value at a position of the picture, from 0 to 1 along each edge. */
export function readHollows(light: Float32Array, width: number, across: number, down: number): number {
  const height = light.length / width;
  const x = Math.min(width - 1, Math.max(0, across * width - 0.5));
  const y = Math.min(height - 1, Math.max(0, down * height - 0.5));
  const [x0, y0] = [Math.floor(x), Math.floor(y)];
  const [x1, y1] = [Math.min(width - 1, x0 + 1), Math.min(height - 1, y0 + 1)];
  const over = light[y0 * width + x0] * (x0 + 1 - x) + light[y0 * width + x1] * (x - x0);
  const under = light[y1 * width + x0] * (x0 + 1 - x) + light[y1 * width + x1] * (x - x0);
  return over * (y0 + 1 - y) + under * (y - y0);
}
