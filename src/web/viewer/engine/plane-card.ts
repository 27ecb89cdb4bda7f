import type { Walk } from '#kernels/grid/draw-scan.ts';
import { windowScale } from '#kernels/grid/grey-window.ts';
import type { ObliquePlane } from '#kernels/grid/oblique-plane.ts';
import { findCell } from '#kernels/grid/region.ts';
import { type Grid, mapVector, type Vector3, type Volume, type VoxelArray } from '#kernels/grid/volume.ts';
import { type AxisCut, CutPlane } from '../data/cut-plane.ts';
import { type PixelPlaces, type PlaneLook, placePixelsOn } from '../data/pixel-places.ts';
import type { SlicePlane } from '../data/slice-source.ts';
import { planeVertex, writePlaneFragment } from './plane-shader.ts';
import { openOnHardware } from './software-renderer.ts';

/** Most bytes of a volume on the graphics card; a preview has at most 256 voxels along an edge. */
const maxVolumeBytes = 64 * 2 ** 20;

interface Format {
  sampler: 'sampler2DArray' | 'isampler2DArray' | 'usampler2DArray';
  stored: 'R8UI' | 'R8I' | 'R16UI' | 'R16I' | 'R32F';
  type: 'UNSIGNED_BYTE' | 'BYTE' | 'UNSIGNED_SHORT' | 'SHORT' | 'FLOAT';
}

/**
 * The formats that the graphics card computes exactly: its floats have 24 bits, so that a narrow window of wider values
 * would show steps.
 */
function findFormat(values: VoxelArray): Format | null {
  const unsigned = 'usampler2DArray';
  const signed = 'isampler2DArray';
  if (values instanceof Uint8Array) return { sampler: unsigned, stored: 'R8UI', type: 'UNSIGNED_BYTE' };
  if (values instanceof Int8Array) return { sampler: signed, stored: 'R8I', type: 'BYTE' };
  if (values instanceof Uint16Array) return { sampler: unsigned, stored: 'R16UI', type: 'UNSIGNED_SHORT' };
  if (values instanceof Int16Array) return { sampler: signed, stored: 'R16I', type: 'SHORT' };
  if (values instanceof Float32Array) return { sampler: 'sampler2DArray', stored: 'R32F', type: 'FLOAT' };
  return null;
}

/** The voxels of a volume, or the values of a plane as a volume of one slice. */
interface Voxels {
  texture: WebGLTexture;
  sampler: Format['sampler'];
  dimensions: Vector3;
  /** uploaded, but not yet checked for an out-of-memory error */
  isNew: boolean;
}

interface Program {
  program: WebGLProgram;
  place(uniform: string): WebGLUniformLocation | null;
}

export interface CardPicture {
  canvas: OffscreenCanvas;
  /** row of the canvas at which the picture starts, at its left edge */
  firstRow: number;
}

/** The only slice of a plane's own values. */
const onlySlice: AxisCut = { normal: 2, slice: 0, weight: 0, isRounded: false };

/**
 * Draws slices on a graphics card: any plane of the preview from its voxels, planes from the service from their values.
 * One context for all panes of a viewer, because browsers allow about sixteen; separate from that of 3D, whose pane may
 * not be open. Voxels are stored in an array texture, not in a 3D texture: cards may limit those to 256, and planes
 * have more. The picture matches that of `drawPlanes` within one of 255 grey levels.
 */
export class PlaneCard {
  readonly #onLost: () => void;
  readonly #open: () => WebGL2RenderingContext | null;
  readonly #mostVolumes: number;
  /** null if there is none (any more) */
  #context: WebGL2RenderingContext | null | undefined;
  readonly #programs = new Map<string, Program>();
  /** the one drawn last is at the end */
  readonly #volumes = new Map<Volume, Voxels>();
  /** of the last picture of each pane: scrolling on needs other planes */
  readonly #planes = new Map<string, Map<SlicePlane, Voxels>>();
  #places: readonly WebGLTexture[] = [];

  /**
   * @param onLost called when the CPU has to draw from now on
   * @param maxVolumes number of volumes kept on the card
   */
  constructor(
    onLost: () => void,
    open: () => WebGL2RenderingContext | null = openOnHardware,
    maxVolumes = 1,
  ) {
    this.#onLost = onLost;
    this.#open = open;
    this.#mostVolumes = maxVolumes;
  }

  /**
   * Draws planes over one another, the finest last; pixels without a value stay transparent. The picture is valid until
   * the next one is drawn, or until the browser composites the page.
   *
   * @param pane the pane that the picture is for
   * @returns null if the CPU has to draw: no graphics card, or values that it would not show exactly
   */
  draw(
    pane: string,
    planes: readonly SlicePlane[],
    look: PlaneLook,
    limits: readonly [number, number],
    size: readonly [widthPx: number, heightPx: number],
  ): CardPicture | null {
    const gl = this.#begin();
    if (!gl || !planes.every((plane) => isFit(gl, plane))) return null;
    const [widthPx, heightPx] = size;
    const picture = openPicture(gl, size);
    const former = this.#planes.get(pane) ?? new Map<SlicePlane, Voxels>();
    const kept = new Map<SlicePlane, Voxels>();
    this.#planes.set(pane, kept);
    for (const plane of planes) {
      const places = placePixelsOn(plane, look, widthPx, heightPx);
      const cut = plane instanceof CutPlane && canCut(plane, places) ? plane : null;
      const voxels = cut ? this.#keepVolume(gl, cut.volume) : (former.get(plane) ?? bringPlane(gl, plane));
      const program = this.#choose(gl, voxels);
      if (!program) return this.#forget(null);
      if (!cut) {
        former.delete(plane);
        kept.set(plane, voxels);
      }
      setCommon(gl, program, voxels, limits, heightPx);
      if (cut && 'oblique' in cut.cut) placeOblique(gl, program, findCells(cut.volume, cut.cut.oblique));
      else this.#placeAlongAxis(gl, program, cut && 'normal' in cut.cut ? cut.cut : onlySlice, places);
      gl.drawArrays(gl.TRIANGLES, 0, 3);
    }
    for (const { texture } of former.values()) gl.deleteTexture(texture);
    return picture;
  }

  /**
   * Draws a volume on the plane of a walk through its voxels, like `drawScan`.
   *
   * @returns null if the CPU has to draw
   */
  drawScan(
    volume: Volume,
    { start, du, dv }: Walk,
    limits: readonly [number, number],
    size: readonly [widthPx: number, heightPx: number],
  ): CardPicture | null {
    const gl = this.#begin();
    if (!gl || !isVolumeFit(gl, volume)) return null;
    const picture = openPicture(gl, size);
    const voxels = this.#keepVolume(gl, volume);
    const program = this.#choose(gl, voxels);
    if (!program) return this.#forget(null);
    setCommon(gl, program, voxels, limits, size[1]);
    // The graphics card counts rows from the bottom.
    const origin = mapVector(start, (first, k) => first + (size[1] - 1) * dv[k]);
    placeOblique(gl, program, { origin, right: du, up: mapVector(dv, (down) => -down) });
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    return picture;
  }

  /** Releases the context; the next picture creates another. */
  dispose(): void {
    const context = this.#context;
    this.#forget(undefined);
    context?.canvas.removeEventListener('webglcontextlost', this.#lose);
    context?.getExtension('WEBGL_lose_context')?.loseContext();
  }

  #forget(context: null | undefined): null {
    this.#context = context;
    this.#programs.clear();
    this.#planes.clear();
    this.#volumes.clear();
    this.#places = [];
    return null;
  }

  readonly #lose = (): void => {
    this.#forget(null);
    this.#onLost();
  };

  #begin(): WebGL2RenderingContext | null {
    if (this.#context === undefined) {
      const gl = this.#open();
      this.#context = gl;
      gl?.canvas.addEventListener('webglcontextlost', this.#lose);
      gl?.pixelStorei(gl.UNPACK_ALIGNMENT, 1);
    }
    // The page is notified of a lost context only after the next picture has been drawn.
    return this.#context?.isContextLost() ? null : this.#context;
  }

  #keepVolume(gl: WebGL2RenderingContext, volume: Volume): Voxels {
    const known = this.#volumes.get(volume);
    this.#volumes.delete(volume);
    for (const [longest, { texture }] of this.#volumes) {
      if (this.#volumes.size < this.#mostVolumes) break;
      gl.deleteTexture(texture);
      this.#volumes.delete(longest);
    }
    const voxels = known ?? bring(gl, volume.data, volume.dimensions);
    this.#volumes.set(volume, voxels);
    return voxels;
  }

  /** null if the card does not compile the program or is out of memory: then it is not tried again. */
  #choose(gl: WebGL2RenderingContext, voxels: Voxels): Program | null {
    const { sampler } = voxels;
    const program = this.#programs.get(sampler) ?? link(gl, sampler);
    if (!program || (voxels.isNew && gl.getError() !== gl.NO_ERROR)) return null;
    this.#programs.set(sampler, program);
    voxels.isNew = false;
    return program;
  }

  #placeAlongAxis(
    gl: WebGL2RenderingContext,
    { place }: Program,
    { normal, slice, weight, isRounded }: AxisCut,
    { columns, rows }: PixelPlaces,
  ): void {
    if (this.#places.length === 0) this.#places = [gl.createTexture(), gl.createTexture()];
    for (const [n, { lower, upper, weight: share }] of [columns, rows].entries()) {
      const texels = new Float32Array(4 * lower.length);
      for (let pixel = 0; pixel < lower.length; pixel++)
        texels.set([lower[pixel] ?? -1, upper[pixel] ?? 0, share[pixel] ?? 0], 4 * pixel);
      gl.activeTexture(gl.TEXTURE1 + n);
      gl.bindTexture(gl.TEXTURE_2D, this.#places[n] ?? null);
      takeUnfiltered(gl, gl.TEXTURE_2D);
      gl.texImage2D(gl.TEXTURE_2D, 0, gl.RGBA32F, lower.length, 1, 0, gl.RGBA, gl.FLOAT, texels);
    }
    gl.uniform1i(place('isOblique'), 0);
    gl.uniform1i(place('normal'), normal);
    gl.uniform1i(place('slice'), slice);
    gl.uniform1f(place('sliceWeight'), weight);
    gl.uniform1i(place('isRounded'), isRounded ? 1 : 0);
  }
}

/** An empty picture of the given size. */
function openPicture(
  gl: WebGL2RenderingContext,
  [widthPx, heightPx]: readonly [number, number],
): CardPicture {
  const canvas = gl.canvas as OffscreenCanvas;
  if (canvas.width < widthPx) canvas.width = widthPx;
  if (canvas.height < heightPx) canvas.height = heightPx;
  gl.viewport(0, 0, widthPx, heightPx);
  gl.clear(gl.COLOR_BUFFER_BIT);
  return { canvas, firstRow: canvas.height - heightPx };
}

function setCommon(
  gl: WebGL2RenderingContext,
  { program, place }: Program,
  { texture, dimensions }: Voxels,
  [low, high]: readonly [number, number],
  heightPx: number,
): void {
  // biome-ignore lint/correctness/useHookAtTopLevel: a WebGL call, not a hook
  gl.useProgram(program);
  gl.activeTexture(gl.TEXTURE0);
  gl.bindTexture(gl.TEXTURE_2D_ARRAY, texture);
  gl.uniform1i(place('voxels'), 0);
  gl.uniform1i(place('columns'), 1);
  gl.uniform1i(place('rows'), 2);
  gl.uniform3iv(place('dimensions'), dimensions);
  gl.uniform1i(place('heightPx'), heightPx);
  const rounded = Math.fround(low);
  gl.uniform2f(place('low'), rounded, low - rounded);
  gl.uniform1f(place('toByte'), Math.min(1e30, windowScale(low, high)));
}

/** In voxels: the position at the first pixel (lower left), and the steps from pixel to pixel. */
interface CellPlane {
  origin: Vector3;
  right: Vector3;
  up: Vector3;
}

function findCells(grid: Grid, { originMm, uMm, vMm }: ObliquePlane): CellPlane {
  const atOrigin: Grid = { ...grid, originMm: [0, 0, 0] };
  return { origin: findCell(grid, originMm), right: findCell(atOrigin, uMm), up: findCell(atOrigin, vMm) };
}

function placeOblique(
  gl: WebGL2RenderingContext,
  { place }: Program,
  { origin, right, up }: CellPlane,
): void {
  gl.uniform1i(place('isOblique'), 1);
  gl.uniform3fv(place('origin'), origin);
  gl.uniform3fv(place('right'), right);
  gl.uniform3fv(place('up'), up);
}

function isFit(gl: WebGL2RenderingContext, plane: SlicePlane): boolean {
  const most: number = gl.getParameter(gl.MAX_TEXTURE_SIZE);
  if (!(plane instanceof CutPlane))
    return findFormat(plane.values) !== null && Math.max(plane.width, plane.height) <= most;
  return isVolumeFit(gl, plane.volume);
}

function isVolumeFit(gl: WebGL2RenderingContext, { data, dimensions }: Volume): boolean {
  const most: number = gl.getParameter(gl.MAX_TEXTURE_SIZE);
  const [width, height, layers] = dimensions;
  return (
    findFormat(data) !== null &&
    data.byteLength <= maxVolumeBytes &&
    Math.max(width, height) <= most &&
    layers <= gl.getParameter(gl.MAX_ARRAY_TEXTURE_LAYERS)
  );
}

/**
 * An oblique plane is cut for the pixels of one view, rows from the bottom; in another view it is drawn from its
 * values.
 */
function canCut({ cut, width, height }: CutPlane, { columns, rows }: PixelPlaces): boolean {
  if (!('oblique' in cut)) return true;
  const [across, down] = [columns.lower, rows.lower];
  const isSize = across.length === width && down.length === height;
  return isSize && isFromTo(across, 0, width - 1) && isFromTo(down, height - 1, 0);
}

const isFromTo = (places: Int32Array, first: number, last: number): boolean =>
  places[0] === first && places[places.length - 1] === last;

const bringPlane = (gl: WebGL2RenderingContext, { values, width, height }: SlicePlane): Voxels =>
  bring(gl, values, [width, height, 1]);

function bring(gl: WebGL2RenderingContext, values: VoxelArray, dimensions: Vector3): Voxels {
  const format = findFormat(values);
  if (!format) throw new RangeError(`a card draws no ${values.constructor.name}`);
  const [width, height, layers] = dimensions;
  const texture = gl.createTexture();
  const target = gl.TEXTURE_2D_ARRAY;
  gl.activeTexture(gl.TEXTURE0);
  gl.bindTexture(target, texture);
  takeUnfiltered(gl, target);
  const kind = format.sampler === 'sampler2DArray' ? gl.RED : gl.RED_INTEGER;
  gl.texStorage3D(target, 1, gl[format.stored], width, height, layers);
  gl.texSubImage3D(target, 0, 0, 0, 0, width, height, layers, kind, gl[format.type], values);
  return { texture, sampler: format.sampler, dimensions, isNew: true };
}

/** 32-bit floats and integer textures can't be filtered. */
function takeUnfiltered(gl: WebGL2RenderingContext, target: number): void {
  gl.texParameteri(target, gl.TEXTURE_MIN_FILTER, gl.NEAREST);
  gl.texParameteri(target, gl.TEXTURE_MAG_FILTER, gl.NEAREST);
}

function link(gl: WebGL2RenderingContext, sampler: string): Program | null {
  const program = gl.createProgram();
  for (const [type, source] of [
    [gl.VERTEX_SHADER, planeVertex],
    [gl.FRAGMENT_SHADER, writePlaneFragment(sampler)],
  ] as const) {
    const shader = gl.createShader(type);
    if (!shader) continue; // the context was lost
    gl.shaderSource(shader, source);
    gl.compileShader(shader);
    gl.attachShader(program, shader);
  }
  gl.linkProgram(program);
  if (!gl.getProgramParameter(program, gl.LINK_STATUS)) return null;
  const places = new Map<string, WebGLUniformLocation | null>();
  const place = (uniform: string) => {
    const found = places.get(uniform) ?? gl.getUniformLocation(program, uniform);
    places.set(uniform, found);
    return found;
  };
  return { program, place };
}
