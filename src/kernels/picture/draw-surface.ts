/** The painter of surfaces: what the server draws for renders, reports and thumbnails. */
import { colorIndex } from '../color/maps.ts';
import { plainGround } from '../color/scene-ground.ts';
import { type SurfaceTexture, textureValue } from '../color/surface-texture.ts';
import { type Camera, distanceMm, frame } from '../grid/camera.ts';
import { type CutAway, isAnythingCut, isCutAway } from '../grid/cut-away.ts';
import { lineAt } from './edge-lines.ts';
import { fillPane, type Ground, groundAt, type Pane } from './pane.ts';

export interface Surface {
  /** 3 · vertices, mm */
  positions: Float32Array;
  /** 3 · vertices, unit; null = each triangle has its own */
  normals: Float32Array | null;
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
    /** only what is between these keeps its colour; null = all */
    brush: readonly [number, number] | null;
  } | null;
  /** 0 to 1, of the nearest side */
  opacity: number;
  /** lit, or the plain colours of the map */
  shaded: boolean;
  /** with silhouettes and feature edges where it is lit and hides what is behind it */
  edges: boolean;
  cuts: CutAway;
}

/** Waits until everything else in this process had its turn. @throws what ends the drawing */
export type TakeTurns = () => Promise<void>;

type Three = readonly [number, number, number];

const plain: Three = [0.74 * 255, 0.76 * 255, 0.79 * 255];
const notMeasured: Three = [0.62 * 255, 0.62 * 255, 0.62 * 255];
const unbrushed: Three = [0.8 * 255, 0.81 * 255, 0.83 * 255];
/** Samples a pixel along each axis. */
const FINER = 2;
/** Samples in memory at a time: 16 bytes each. */
const BAND_SAMPLES = 3_000_000;
/** Triangles between two looks at the clock of everything else in this process. */
const TRIANGLES_A_TURN = 200_000;

/** What is seen at each sample of some rows: the nearest triangle, by its first index, and where in it. */
interface Band {
  width: number;
  top: number;
  bottom: number;
  /** rows above and below that lines of the outermost pixels follow from */
  margin: number;
  depth: Float32Array;
  /** three a sample, where lines are drawn */
  normals: Float32Array;
  triangles: Int32Array;
  /** shares of the second and the third corner, two a sample */
  weights: Float32Array;
}

interface Scene {
  surface: Surface;
  look: SurfaceLook;
  view: ReturnType<typeof frame>;
  /** the vertices as `project` gives them */
  points: Float32Array;
}

/**
 * Draws a surface into a pane: depth buffer, four samples a pixel, the same light and colours as the viewer.
 * Worked through in bands of rows, so that 4K takes no more memory than a small picture.
 * O(bands · triangles + samples covered).
 *
 * @param ground a picture of four channels stays clear where nothing is
 */
export async function drawSurface(
  pane: Pane,
  surface: Surface,
  look: SurfaceLook,
  takeTurns: TakeTurns,
  ground: Ground = plainGround,
): Promise<void> {
  if (pane.picture.channels === 3) fillPane(pane, ground);
  if (look.opacity <= 0) return;
  const width = pane.width * FINER;
  const points = project(surface.positions, look.camera, width, pane.height * FINER);
  const scene: Scene = { surface, look, view: frame(look.camera), points };
  const rowsOfBand = Math.max(1, Math.floor(BAND_SAMPLES / (width * FINER)));
  const hasLines = look.edges && look.shaded && look.opacity === 1;
  const margin = hasLines ? measureLine(pane) : 0;
  for (let row = 0; row < pane.height; row += rowsOfBand) {
    const rows = Math.min(rowsOfBand, pane.height - row);
    const top = row * FINER - margin;
    const bottom = (row + rows) * FINER + margin;
    const samples = width * (bottom - top);
    const band: Band = {
      width,
      top,
      bottom,
      margin,
      normals: new Float32Array(hasLines ? 3 * samples : 0),
      depth: new Float32Array(samples).fill(Infinity),
      triangles: new Int32Array(samples).fill(-1),
      weights: new Float32Array(2 * samples),
    };
    for (let t = 0; t < surface.indices.length; t += 3) {
      if (t % (3 * TRIANGLES_A_TURN) === 0) await takeTurns();
      placeTriangle(band, scene, t);
    }
    if (hasLines) findNormals(band, scene);
    paintBand(pane, band, scene, ground);
  }
}

/** Samples a line is wide, as thick to the eye whatever the size of the picture. */
const measureLine = ({ height }: Pane) => FINER * Math.max(1, Math.round(height / 600));

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

/** Notes the triangle wherever it is the nearest. */
function placeTriangle(band: Band, { surface, look, points: p }: Scene, t: number): void {
  const { indices, positions } = surface;
  const [a, b, c] = [3 * indices[t], 3 * indices[t + 1], 3 * indices[t + 2]];
  const [ax, ay, az] = [p[a], p[a + 1], p[a + 2]];
  const [bx, by, bz] = [p[b], p[b + 1], p[b + 2]];
  const [cx, cy, cz] = [p[c], p[c + 1], p[c + 2]];
  const isPerspective = look.camera.projection === 'perspective';
  if (isPerspective && !(az > 0 && bz > 0 && cz > 0)) return;
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  if (!(Math.abs(area) > 1e-9)) return;
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5));
  const rightmost = Math.min(band.width - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
  const top = Math.max(band.top, Math.ceil(Math.min(ay, by, cy) - 0.5));
  const bottom = Math.min(band.bottom - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
  const { cuts } = look;
  const isCut = isAnythingCut(cuts);
  const isAway = (wa: number, wb: number, wc: number) =>
    isCutAway(
      cuts,
      wa * positions[a] + wb * positions[b] + wc * positions[c],
      wa * positions[a + 1] + wb * positions[b + 1] + wc * positions[c + 1],
      wa * positions[a + 2] + wb * positions[b + 2] + wc * positions[c + 2],
    );
  const [abx, aby, acx, acy] = [bx - ax, by - ay, cx - ax, cy - ay];
  const { depth: nearest, triangles, weights } = band;
  for (let y = top; y <= bottom; y++) {
    const apy = y + 0.5 - ay;
    const row = (y - band.top) * band.width;
    for (let x = left; x <= rightmost; x++) {
      const apx = x + 0.5 - ax;
      let wb = (apx * acy - acx * apy) / area;
      let wc = (abx * apy - apx * aby) / area;
      let wa = 1 - wb - wc;
      if (wa < 0 || wb < 0 || wc < 0) continue;
      let depth = wa * az + wb * bz + wc * cz;
      if (isPerspective) {
        depth = 1 / (wa / az + wb / bz + wc / cz);
        wa = (wa * depth) / az;
        wb = (wb * depth) / bz;
        wc = (wc * depth) / cz;
      }
      const at = row + x;
      if (depth >= nearest[at]) continue;
      if (isCut && isAway(wa, wb, wc)) continue;
      nearest[at] = depth;
      triangles[at] = t;
      weights[2 * at] = wb;
      weights[2 * at + 1] = wc;
    }
  }
}

/** The normal at each sample, on the side of the eye. */
function findNormals(band: Band, { surface, view }: Scene): void {
  const [tx, ty, tz] = view.towards;
  const found = new Float64Array(3);
  const { triangles, weights, normals } = band;
  for (let at = 0; at < triangles.length; at++) {
    if (triangles[at] < 0) continue;
    normalAt(surface, triangles[at], weights[2 * at], weights[2 * at + 1], found);
    const [x, y, z] = [found[0], found[1], found[2]];
    const scale = (x * tx + y * ty + z * tz < 0 ? -1 : 1) / (Math.sqrt(x * x + y * y + z * z) || 1);
    normals[3 * at] = x * scale;
    normals[3 * at + 1] = y * scale;
    normals[3 * at + 2] = z * scale;
  }
}

/** The normal of any length at a place of the triangle whose first index is `t`. */
function normalAt(
  { indices, positions, normals }: Surface,
  t: number,
  wb: number,
  wc: number,
  found: Float64Array,
): void {
  const a = 3 * indices[t];
  const b = 3 * indices[t + 1];
  const c = 3 * indices[t + 2];
  if (normals) {
    const wa = 1 - wb - wc;
    for (let k = 0; k < 3; k++) found[k] = normals[a + k] * wa + normals[b + k] * wb + normals[c + k] * wc;
    return;
  }
  const ux = positions[b] - positions[a];
  const uy = positions[b + 1] - positions[a + 1];
  const uz = positions[b + 2] - positions[a + 2];
  const vx = positions[c] - positions[a];
  const vy = positions[c + 1] - positions[a + 1];
  const vz = positions[c + 2] - positions[a + 2];
  found[0] = uy * vz - uz * vy;
  found[1] = uz * vx - ux * vz;
  found[2] = ux * vy - uy * vx;
}

/** How bright each sample is beside its light: less on lines. */
function makeLines(band: Band, { look }: Scene, pane: Pick<Pane, 'height'>): (at: number) => number {
  if (band.margin === 0) return () => 1;
  const { projection, heightMm } = look.camera;
  const mm = (band.margin * heightMm) / (pane.height * FINER);
  const away = distanceMm(heightMm);
  return (at) =>
    1 - lineAt(band, at, band.margin, projection === 'perspective' ? (mm * band.depth[at]) / away : mm);
}

/** The samples of a band become pixels over the ground. */
function paintBand({ picture, ...pane }: Pane, band: Band, scene: Scene, ground: Ground): void {
  const { channels, samples } = picture;
  const { opacity } = scene.look;
  const dim = makeLines(band, scene, pane);
  const shade = shaderOf(scene);
  const sum = new Float64Array(3);
  const { triangles, weights } = band;
  for (let y = band.top + band.margin; y < band.bottom - band.margin; y += FINER) {
    const under = groundAt(ground, (y / FINER + 0.5) / pane.height);
    let to = ((pane.y + y / FINER) * picture.width + pane.x) * channels;
    for (let x = 0; x < band.width; x += FINER, to += channels) {
      let covered = 0;
      sum[0] = sum[1] = sum[2] = 0;
      for (let sy = y; sy < y + FINER; sy++) {
        const row = (sy - band.top) * band.width;
        for (let sx = x; sx < x + FINER; sx++) {
          const at = row + sx;
          if (triangles[at] < 0) continue;
          covered++;
          shade(sum, triangles[at], weights[2 * at], weights[2 * at + 1], sx, sy, dim(at));
        }
      }
      if (covered === 0) continue;
      const share = (covered / FINER ** 2) * opacity;
      const isClear = channels === 4;
      for (let k = 0; k < 3; k++) {
        const colour = sum[k] / covered;
        samples[to + k] = Math.round(isClear ? colour : under[k] * (1 - share) + colour * share);
      }
      if (isClear) samples[to + 3] = Math.round(255 * share);
    }
  }
}

/** Adds the colour of a place of a triangle. Called for each sample: it makes no arrays. */
type Shader = (
  sum: Float64Array,
  t: number,
  wb: number,
  wc: number,
  x: number,
  y: number,
  dim: number,
) => void;

function shaderOf({ surface, look, view, points: p }: Scene): Shader {
  const { indices } = surface;
  const { colours, shaded } = look;
  const isCut = isAnythingCut(look.cuts);
  const { right, up, towards } = view;
  /** The viewer's light on a normal of any length: a key from above right, and what faces the eye. */
  const light = (nx: number, ny: number, nz: number, facesEye: boolean): number => {
    const sign = (facesEye ? 1 : -1) / (Math.sqrt(nx * nx + ny * ny + nz * nz) || 1);
    const facing = sign * (nx * towards[0] + ny * towards[1] + nz * towards[2]);
    const aside = sign * (nx * right[0] + ny * right[1] + nz * right[2]);
    const above = sign * (nx * up[0] + ny * up[1] + nz * up[2]);
    const key = Math.max(0, 0.267 * aside + 0.534 * above + 0.802 * facing);
    const front = Math.max(0, facing);
    const lit = colours ? 0.62 + 0.26 * key + 0.12 * front : 0.34 + 0.46 * key + 0.2 * front;
    // The inside of a part that is cut open.
    return isCut && !facesEye ? lit * 0.72 : lit;
  };
  const normal = new Float64Array(3);
  return (sum, t, wb, wc, x, y, dim) => {
    const ia = indices[t];
    const ib = indices[t + 1];
    const ic = indices[t + 2];
    const wa = 1 - wb - wc;
    let brightness = dim;
    if (shaded) {
      const [a, b, c] = [3 * ia, 3 * ib, 3 * ic];
      // y runs down, so a triangle that faces the eye turns the other way round on the picture.
      const facesEye = (p[b] - p[a]) * (p[c + 1] - p[a + 1]) - (p[c] - p[a]) * (p[b + 1] - p[a + 1]) < 0;
      normalAt(surface, t, wb, wc, normal);
      brightness *= light(normal[0], normal[1], normal[2], facesEye);
    }
    if (!colours) return add(sum, brightness, plain[0], plain[1], plain[2]);
    const { values, texture, missing, range, lut, brush } = colours;
    if (values[ia] === missing || values[ib] === missing || values[ic] === missing)
      return add(sum, brightness, notMeasured[0], notMeasured[1], notMeasured[2]);
    const value = texture
      ? textureValue(
          texture,
          texture.coordinates[2 * ia] * wa +
            texture.coordinates[2 * ib] * wb +
            texture.coordinates[2 * ic] * wc,
          texture.coordinates[2 * ia + 1] * wa +
            texture.coordinates[2 * ib + 1] * wb +
            texture.coordinates[2 * ic + 1] * wc,
        )
      : values[ia] * wa + values[ib] * wb + values[ic] * wc;
    if (brush && (value < brush[0] || value > brush[1]))
      return add(sum, brightness, unbrushed[0], unbrushed[1], unbrushed[2]);
    const place = (value - range[0]) / (range[1] - range[0]);
    const entry = 3 * colorIndex(place, 0, 1);
    if (!isHatched(place, x, y)) return add(sum, brightness, lut[entry], lut[entry + 1], lut[entry + 2]);
    const line = place < 0 ? 0 : 255;
    add(sum, brightness, (lut[entry] + line) / 2, (lut[entry + 1] + line) / 2, (lut[entry + 2] + line) / 2);
  };
}

function add(sum: Float64Array, brightness: number, red: number, green: number, blue: number): void {
  sum[0] += Math.min(255, red * brightness);
  sum[1] += Math.min(255, green * brightness);
  sum[2] += Math.min(255, blue * brightness);
}

/** Whether a line of the hatching runs here: beyond the limits, to the one side below and to the other above. */
function isHatched(place: number, x: number, y: number): boolean {
  if (place >= 0 && place <= 1) return false;
  const along = place < 0 ? x - y : x + y;
  const period = 8 * FINER;
  return ((along % period) + period) % period < 2 * FINER;
}
