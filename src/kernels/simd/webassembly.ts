/** The part of WebAssembly that the kernels use; TypeScript's own types for it live in the DOM library. */
export interface WasmMemory {
  readonly buffer: SharedArrayBuffer;
  grow(pages: number): number;
}
/** A compiled module; may be sent to other threads. */
export type WasmModule = object;

interface Platform {
  Memory: new (descriptor: { initial: number; maximum: number; shared: true }) => WasmMemory;
  Instance: new (module: WasmModule, imports: { env: { memory: WasmMemory } }) => { exports: unknown };
  Module: new (bytes: Uint8Array) => WasmModule;
}
const platform = (globalThis as unknown as { WebAssembly: Platform }).WebAssembly;

export const pageBytes = 65536;
export const maximumPages = 65536;

/** Memory that every thread sees; it grows up to 4 GiB and takes real memory only where it was written. */
export const sharedMemory = (): WasmMemory =>
  new platform.Memory({ initial: 1, maximum: maximumPages, shared: true });

/** @throws CompileError when the bytes are no module (built by `npm run build:kernels`) */
export const compileKernels = (bytes: Uint8Array): WasmModule => new platform.Module(bytes);

/** Numbers in, numbers out: addresses are bytes in `memory`. See assembly/ for each one's meaning. */
type Kernel = (...numbers: number[]) => number;
export interface Kernels {
  readonly memory: WasmMemory;
  copyBytes: Kernel;
  placeBox: Kernel;
  medianPlanes: Kernel;
  loadSlab: Kernel;
  pad: Kernel;
  padEnds: Kernel;
  countValues: Kernel;
  rangeOf: Kernel;
  countBins: Kernel;
  raiseGreatest: Kernel;
  halve: Kernel;
  classify: Kernel;
  countRows: Kernel;
  sumRows: Kernel;
  writeSurface: Kernel;
  markBlocks: Kernel;
  placeBlocks: Kernel;
  fillBlocks: Kernel;
  fillDepths: Kernel;
  depthAlongZ: Kernel;
  depthInPlanes: Kernel;
  rays: Kernel;
  balls: Kernel;
  vertexAreas: Kernel;
  areaGradients: Kernel;
  addNeighbours: Kernel;
  moveByCurvature: Kernel;
  forgetMoved: Kernel;
  emptyBlocks: Kernel;
  openness: Kernel;
  spreadNormals: Kernel;
  unitNormals: Kernel;
  markEven: Kernel;
  countNeighbours: Kernel;
  sumCounts: Kernel;
  listNeighbours: Kernel;
  neighbourHeights: Kernel;
  countHeights: Kernel;
  moveByHeights: Kernel;
  movesAlong: Kernel;
  moveAlong: Kernel;
  fieldNormals: Kernel;
  placeVertices: Kernel;
  turnTriangles: Kernel;
  sumTriangles: Kernel;
  sidesMatch: Kernel;
  joinVertices: Kernel;
  joinSeam: Kernel;
  countParts: Kernel;
  convertRow: Kernel;
  thresholdBox: Kernel;
  countRuns: Kernel;
  writeRuns: Kernel;
  joinRuns: Kernel;
  numberRuns: Kernel;
  paintComponent: Kernel;
  dilate: Kernel;
  combineBits: Kernel;
  countBits: Kernel;
  markOuter: Kernel;
  rim: Kernel;
  sumDefects: Kernel;
  sumZone: Kernel;
  crossDefects: Kernel;
  deepGreys: Kernel;
  backProject: Kernel;
  turnPlanes: Kernel;
  boxTriangles: Kernel;
  splitTriangles: Kernel;
  widenTree: Kernel;
  gatherCorners: Kernel;
  signedDistances: Kernel;
  distanceAlongZ: Kernel;
  distanceInPlanes: Kernel;
  withinDistance: Kernel;
}

const instances = new WeakMap<WasmMemory, Kernels>();

/** The kernels over one memory, which has them from then on. Compiled code is shared between instances. */
export function instantiateKernels(module: WasmModule, memory: WasmMemory): Kernels {
  const known = instances.get(memory);
  if (known) return known;
  const { exports } = new platform.Instance(module, { env: { memory } });
  const kernels = { ...(exports as Omit<Kernels, 'memory'>), memory };
  instances.set(memory, kernels);
  return kernels;
}
