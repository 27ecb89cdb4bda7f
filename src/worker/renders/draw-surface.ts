import { setImmediate as nextTurn } from 'node:timers/promises';
import { type SurfaceTexture, textureValue } from '#kernels/color/surface-texture.ts';
import { type Camera, distanceMm, frame } from '#kernels/grid/camera.ts';
import { fill, type Pane } from './pane.ts';

export interface Surface {
  /** 3 · vertices, mm */
  positions: Float32Array;
  /** 3 · vertices, unit */
  normals: Float32Array;
  indices: Uint32Array;
}

export interface SurfaceLook {
  camera: Camera;
  /** values that decide the colours, `missing` where nothing is measured; null = one plain colour */
  colours: {
    values: Float32Array;
    /** finer than the values at the vertices */
    texture?: SurfaceTexture | null;
    missing: number;
    range: readonly [number, number];
    lut: Uint8Array;
  } | null;
  /** 0 to 1, of the nearest side */
  opacity: number;
  /** lit, or the plain colours of the map */
  shaded: boolean;
  /** what lies beyond is cut away: normal · point > offsetMm */
  clip: { normal: readonly number[]; offsetMm: number } | null;
}

/** As in the viewer's captures: light, so that a picture can be printed. */
const ground = [0xf3, 0xf5, 0xf7] as const;
const plain = [0.74 * 255, 0.76 * 255, 0.79 * 255];
const notMeasured = [0.62 * 255, 0.62 * 255, 0.62 * 255];
/** Samples a pixel along each axis. */
const FINER = 2;
/** Samples in memory at a time: 12 bytes each. */
const BAND_SAMPLES = 4_000_000;
/** Triangles between two looks at the clock of everything else in this process. */
const TRIANGLES_A_TURN = 200_000;

interface Band {
  width: number;
  top: number;
  bottom: number;
  depth: Float32Array;
  colour: Uint8Array;
}

/**
 * Draws a surface into a pane: depth buffer, four samples a pixel, the same light and colours as the viewer.
 * Worked through in bands of rows, so that 4K takes no more memory than a small picture.
 * O(bands · triangles + samples covered).
 */
export async function drawSurface(
  pane: Pane,
  surface: Surface,
  look: SurfaceLook,
  signal: AbortSignal,
): Promise<void> {
  fill(pane, ground);
  if (look.opacity <= 0) return;
  const width = pane.width * FINER;
  const points = project(surface.positions, look.camera, width, pane.height * FINER);
  const rowsOfBand = Math.max(1, Math.floor(BAND_SAMPLES / (width * FINER)));
  for (let row = 0; row < pane.height; row += rowsOfBand) {
    const rows = Math.min(rowsOfBand, pane.height - row);
    const samples = width * rows * FINER;
    const band: Band = {
      width,
      top: row * FINER,
      bottom: (row + rows) * FINER,
      depth: new Float32Array(samples).fill(Infinity),
      colour: new Uint8Array(samples * 3),
    };
    const { indices } = surface;
    for (let t = 0; t < indices.length; t += 3) {
      if (t % (3 * TRIANGLES_A_TURN) === 0) {
        await nextTurn();
        signal.throwIfAborted();
      }
      drawTriangle(band, surface, look, points, [indices[t], indices[t + 1], indices[t + 2]]);
    }
    settle(pane, band, row, rows, look.opacity);
  }
}

/** x and y in samples, then the distance before the eye (less is nearer; negative = behind it) of each vertex. */
function project(positions: Float32Array, camera: Camera, width: number, height: number): Float32Array {
  const { right, up, towards } = frame(camera);
  const { target, heightMm, projection } = camera;
  const away = distanceMm(heightMm);
  const scale = height / heightMm;
  const out = new Float32Array(positions.length);
  for (let i = 0; i < positions.length; i += 3) {
    const x = positions[i] - target[0];
    const y = positions[i + 1] - target[1];
    const z = positions[i + 2] - target[2];
    const depth = away - (towards[0] * x + towards[1] * y + towards[2] * z);
    const k = projection === 'perspective' ? (scale * away) / depth : scale;
    out[i] = width / 2 + (right[0] * x + right[1] * y + right[2] * z) * k;
    out[i + 1] = height / 2 - (up[0] * x + up[1] * y + up[2] * z) * k;
    out[i + 2] = depth;
  }
  return out;
}

function drawTriangle(
  band: Band,
  { positions, normals }: Surface,
  look: SurfaceLook,
  p: Float32Array,
  corners: Three,
): void {
  const [a, b, c] = corners;
  const [ax, ay, az] = [p[3 * a], p[3 * a + 1], p[3 * a + 2]];
  const [bx, by, bz] = [p[3 * b], p[3 * b + 1], p[3 * b + 2]];
  const [cx, cy, cz] = [p[3 * c], p[3 * c + 1], p[3 * c + 2]];
  const isPerspective = look.camera.projection === 'perspective';
  if (isPerspective && !(az > 0 && bz > 0 && cz > 0)) return;
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  if (!(Math.abs(area) > 1e-9)) return;
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5));
  const rightmost = Math.min(band.width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
  const top = Math.max(band.top, Math.ceil(Math.min(ay, by, cy) - 0.5));
  const bottom = Math.min(band.bottom - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
  if (left > rightmost || top > bottom) return;
  // y runs down, so a triangle that faces the eye turns the other way round on the picture.
  const facesEye = area < 0;
  const { right, up, towards } = frame(look.camera);
  const lit = light(look, right, up, towards, facesEye);
  const { clip, colours } = look;
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= rightmost; x++) {
      const px = x + 0.5;
      const py = y + 0.5;
      let wb = ((px - ax) * (cy - ay) - (cx - ax) * (py - ay)) / area;
      let wc = ((bx - ax) * (py - ay) - (px - ax) * (by - ay)) / area;
      let wa = 1 - wb - wc;
      if (wa < 0 || wb < 0 || wc < 0) continue;
      let depth = wa * az + wb * bz + wc * cz;
      if (isPerspective) {
        depth = 1 / (wa / az + wb / bz + wc / cz);
        [wa, wb, wc] = [(wa * depth) / az, (wb * depth) / bz, (wc * depth) / cz];
      }
      const at = (y - band.top) * band.width + x;
      if (depth >= band.depth[at]) continue;
      const weights = [wa, wb, wc] as const;
      if (clip && beyond(clip, positions, corners, weights)) continue;
      band.depth[at] = depth;
      const base = colours ? colourOf(colours, corners, weights, x, y) : plain;
      const brightness = lit(normals, corners, weights);
      for (let k = 0; k < 3; k++) band.colour[3 * at + k] = Math.min(255, base[k] * brightness);
    }
  }
}

type Three = readonly [number, number, number];

/** One of three numbers of each vertex, at a place in its triangle. */
const between = (values: Float32Array, corners: Three, weights: Three, stride: number, k: number): number =>
  values[stride * corners[0] + k] * weights[0] +
  values[stride * corners[1] + k] * weights[1] +
  values[stride * corners[2] + k] * weights[2];

function beyond(
  { normal, offsetMm }: NonNullable<SurfaceLook['clip']>,
  positions: Float32Array,
  corners: Three,
  weights: Three,
): boolean {
  let along = 0;
  for (let k = 0; k < 3; k++) along += normal[k] * between(positions, corners, weights, 3, k);
  return along > offsetMm;
}

/** Bytes of the map; hatched beyond its limits, to the one side below and to the other above. */
function colourOf(
  { values, texture, missing, range, lut }: NonNullable<SurfaceLook['colours']>,
  corners: Three,
  weights: Three,
  x: number,
  y: number,
): readonly number[] {
  if (corners.some((vertex) => values[vertex] === missing)) return notMeasured;
  const value = texture
    ? textureValue(
        texture,
        between(texture.coordinates, corners, weights, 2, 0),
        between(texture.coordinates, corners, weights, 2, 1),
      )
    : between(values, corners, weights, 1, 0);
  const place = (value - range[0]) / (range[1] - range[0]);
  const entry = Math.min(255, Math.max(0, Math.floor(place * 256))) * 3;
  const colour = [lut[entry], lut[entry + 1], lut[entry + 2]];
  if (place >= 0 && place <= 1) return colour;
  const along = place < 0 ? x - y : x + y;
  const period = 8 * FINER;
  if (((along % period) + period) % period >= 2 * FINER) return colour;
  return colour.map((value) => (value + (place < 0 ? 0 : 255)) / 2);
}

/** The viewer's light: a key from above right, and what faces the eye. */
function light(look: SurfaceLook, right: Three, up: Three, towards: Three, facesEye: boolean) {
  return (normals: Float32Array, corners: Three, weights: Three): number => {
    if (!look.shaded) return 1;
    const n = [0, 1, 2].map((k) => between(normals, corners, weights, 3, k));
    const sign = (facesEye ? 1 : -1) / (Math.hypot(n[0], n[1], n[2]) || 1);
    const along = (axis: Three) => sign * (n[0] * axis[0] + n[1] * axis[1] + n[2] * axis[2]);
    const facing = along(towards);
    const key = Math.max(0, 0.267 * along(right) + 0.534 * along(up) + 0.802 * facing);
    const front = Math.max(0, facing);
    const lit = look.colours ? 0.62 + 0.26 * key + 0.12 * front : 0.34 + 0.46 * key + 0.2 * front;
    // The inside of a part that is cut open.
    return look.clip && !facesEye ? lit * 0.72 : lit;
  };
}

/** The samples of a band become pixels over the ground. */
function settle(pane: Pane, band: Band, row: number, rows: number, opacity: number): void {
  for (let y = 0; y < rows; y++) {
    let to = ((pane.y + row + y) * pane.picture.width + pane.x) * 3;
    for (let x = 0; x < pane.width; x++, to += 3) {
      let covered = 0;
      const sum = [0, 0, 0];
      for (let dy = 0; dy < FINER; dy++) {
        for (let dx = 0; dx < FINER; dx++) {
          const at = (y * FINER + dy) * band.width + x * FINER + dx;
          if (band.depth[at] === Infinity) continue;
          covered++;
          for (let k = 0; k < 3; k++) sum[k] += band.colour[3 * at + k];
        }
      }
      if (covered === 0) continue;
      const share = (covered / FINER ** 2) * opacity;
      for (let k = 0; k < 3; k++) {
        pane.picture.samples[to + k] = Math.round(ground[k] * (1 - share) + (sum[k] / covered) * share);
      }
    }
  }
}
