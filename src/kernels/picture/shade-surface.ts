/** Colours of a surface: the viewer's lighting, colour maps and hatching. */
import { colorIndex } from '../color/maps.ts';
import { partColour } from '../color/scene-ground.ts';
import { type SurfaceTexture, textureValue } from '../color/surface-texture.ts';
import { type Camera, frame } from '../grid/camera.ts';
import { type CutAway, isAnythingCut } from '../grid/cut-away.ts';
import type { Surface } from './place-triangles.ts';

type Three = readonly [number, number, number];

export interface SurfaceLook {
  camera: Camera;
  /** values that determine the colours, `missing` where unmeasured; null = a single colour */
  colours: {
    values: Float32Array;
    /** finer than the values at the vertices */
    texture?: SurfaceTexture | null;
    missing: number;
    range: readonly [number, number];
    lut: Uint8Array;
    /** only values between these are coloured; null = all */
    brush: readonly [number, number] | null;
  } | null;
  /** the single colour, 0 to 1; default: the grey of a part */
  plain?: Three;
  /** 0 to 1, for a wall viewed perpendicularly */
  opacity: number;
  /** lit, or the plain colours of the map */
  shaded: boolean;
  /** draw silhouettes and feature edges if it is lit and opaque */
  edges: boolean;
  /** ambient occlusion, under the same conditions; default: none */
  hollows?: boolean;
  cuts: CutAway;
}

const notMeasured: Three = [0.62 * 255, 0.62 * 255, 0.62 * 255];
const unbrushed: Three = [0.8 * 255, 0.81 * 255, 0.83 * 255];
/** Samples per pixel along each axis. */
export const FINER = 2;

/** Called for each sample, so nothing is allocated. */
export interface Shader {
  /** The viewer's lighting for a unit normal that faces the eye, 0 to 1: a key light from the upper right, and a headlight. */
  light(nx: number, ny: number, nz: number, isFront: boolean): number;
  /** Adds the colour at a place of a triangle, times a brightness. */
  addColour(
    sum: Float64Array,
    t: number,
    wb: number,
    wc: number,
    pixel: Readonly<{ x: number; y: number }>,
    brightness: number,
  ): void;
}

/** @param hatchPx width of thin lines in pixels: proportional to the size of the picture */
export function createShader({ indices }: Surface, look: SurfaceLook, hatchPx: number): Shader {
  const { colours } = look;
  const isHatched = openHatching(hatchPx);
  const [red, green, blue] = (look.plain ?? partColour).map((share) => 255 * share);
  const isCut = isAnythingCut(look.cuts);
  const { right, up, towards } = frame(look.camera);
  return {
    light(nx, ny, nz, isFront) {
      const facing = nx * towards[0] + ny * towards[1] + nz * towards[2];
      const aside = nx * right[0] + ny * right[1] + nz * right[2];
      const above = nx * up[0] + ny * up[1] + nz * up[2];
      const key = Math.max(0, 0.267 * aside + 0.534 * above + 0.802 * facing);
      const front = Math.max(0, facing);
      const lit = colours ? 0.62 + 0.26 * key + 0.12 * front : 0.34 + 0.46 * key + 0.2 * front;
      // The inside of a part that is cut open.
      return isCut && !isFront ? lit * 0.72 : lit;
    },
    addColour(sum, t, wb, wc, pixel, brightness) {
      if (!colours) return add(sum, brightness, red, green, blue);
      const ia = indices[t];
      const ib = indices[t + 1];
      const ic = indices[t + 2];
      const wa = 1 - wb - wc;
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
      if (!isHatched(place, pixel.x, pixel.y))
        return add(sum, brightness, lut[entry], lut[entry + 1], lut[entry + 2]);
      const line = place < 0 ? 0 : 255;
      add(sum, brightness, (lut[entry] + line) / 2, (lut[entry + 1] + line) / 2, (lut[entry + 2] + line) / 2);
    },
  };
}

function add(sum: Float64Array, brightness: number, red: number, green: number, blue: number): void {
  sum[0] += Math.min(255, red * brightness);
  sum[1] += Math.min(255, green * brightness);
  sum[2] += Math.min(255, blue * brightness);
}

/** Whether the hatching has a line at a sample: different directions below and above the limits. */
function openHatching(hatchPx: number): (place: number, x: number, y: number) => boolean {
  const [line, period] = [2 * FINER * hatchPx, 8 * FINER * hatchPx];
  return (place, x, y) => {
    if (place >= 0 && place <= 1) return false;
    const along = place < 0 ? x - y : x + y;
    return ((along % period) + period) % period < line;
  };
}
