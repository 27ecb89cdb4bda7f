import type { Arena } from '../arena.ts';
import { inPieces } from '../pool.ts';
import { kernelTasks } from '../task.ts';
import { eachBatch } from './each-batch.ts';
import type { FilterSetup } from './filter-projections.ts';
import type { ScanGeometry } from './geometry.ts';
import { type Plan, purpose, type ReconstructionFacts } from './plan.ts';
import type { PreviewGrid } from './preview-grid.ts';
import { filterInArena } from './tasks.ts';
import type { VirtualDetector } from './virtual-detector.ts';

const defaultSlabBytes = 512 * 1024 ** 2;
/** Cells times projections per task: a twentieth of a second. */
const updatesAtOnce = 2e7;
/** Minimum rows of the volume per task: the kernel processes this many together. */
const minRows = 4;

export function chooseBinning(geometry: ScanGeometry, detector: VirtualDetector, grid: PreviewGrid): number {
  const { beam, sourceToAxisMm, pixelSizeMm, rows, columns } = geometry;
  const scale = beam === 'parallel' ? 1 : sourceToAxisMm / detector.sourceToDetectorMm;
  const most = Math.floor(grid.voxelSizeMm / (pixelSizeMm[0] * scale) + 1e-9);
  return Math.max(1, Math.min(most, rows > 1 ? rows : most, Math.floor(columns / 2)));
}

export async function backProjectAll(
  plan: Plan,
  facts: ReconstructionFacts,
  arena: Arena,
  write: (planes: Float32Array<ArrayBuffer>) => Promise<void>,
): Promise<void> {
  const { options } = plan;
  const [nx, ny, nz] = facts.grid.dimensions;
  const { slabBytes = defaultSlabBytes } = options;
  const planes = Math.max(1, Math.min(nz, Math.floor(slabBytes / (nx * ny * 4))));
  const mark = arena.mark();
  for (let zFrom = 0; zFrom < nz; zFrom += planes) {
    arena.release(mark);
    const zTo = Math.min(nz, zFrom + planes);
    const report = (fraction: number) =>
      options.progress?.(0.2 + (0.8 * (zFrom + fraction * (zTo - zFrom))) / nz, 'Back-projection');
    await backProjectSlab(plan, facts, arena, [zFrom, zTo], { report, write });
  }
  arena.release(mark);
}

interface SlabOutput {
  report: (fraction: number) => void;
  write: (planes: Float32Array<ArrayBuffer>) => Promise<void>;
}

async function backProjectSlab(
  plan: Plan,
  facts: ReconstructionFacts,
  arena: Arena,
  [zFrom, zTo]: [number, number],
  { report, write }: SlabOutput,
): Promise<void> {
  const { radiographs, detector, cover } = plan;
  const { geometry } = radiographs;
  const { grid } = facts;
  const [nx, ny] = grid.dimensions;
  const nz = zTo - zFrom;
  const setup = filterSetup(plan, facts, [zFrom, zTo]);
  const columns = Math.floor(geometry.columns / setup.binning);
  const volume = arena.allocate(nx * ny * nz * 4, 'The volume');
  await inPieces(arena, { from: 0, to: ny, size: 16 }, async (from, to) => {
    arena.floats(volume + from * nx * nz * 4, (to - from) * nx * nz).fill(0);
  });
  if (setup.heldTo > setup.heldFrom) {
    const numbers = setupNumbers(geometry, detector, setup, grid, zFrom, nz);
    const setupAt = arena.allocate(numbers.length * 8, purpose);
    arena.doubles(setupAt, numbers.length).set(numbers);
    const scratch = Array.from({ length: arena.threads }, () =>
      arena.allocate((setup.pitch + 16) * 4, purpose),
    );
    const count = geometry.anglesDeg.length;
    const places = placeSources(geometry, detector);
    const { weights, maps } = weighViews(plan);
    await eachBatch(plan, arena, async (raw, from, to, projectionBytes) => {
      const size = to - from;
      const filtered = arena.allocate(size * columns * setup.pitch * 4, 'The filtered projections');
      const angles = arena.allocate(size * 32, purpose);
      arena.doubles(angles, 4 * size).set(places.slice(from, to).flat());
      const atOnce = Math.max(
        1,
        Math.floor(1e6 / (geometry.columns * (setup.heldTo - setup.heldFrom) * setup.binning)),
      );
      const part = (first: number, share: number) => (fraction: number) =>
        report((from + size * (first + share * fraction)) / count);
      await inPieces(arena, { from: 0, to: size, size: atOnce, progress: part(0, 0.3) }, (first, end) =>
        arena.run(filterInArena, {
          setup,
          cover,
          raw: raw + first * projectionBytes,
          projectionBytes,
          anglesDeg: geometry.anglesDeg.slice(from + first, from + end),
          weights: weights.slice(from + first, from + end),
          maps: maps.slice(from + first, from + end),
          target: filtered + 4 * first * columns * setup.pitch,
        }),
      );
      const rowsAtOnce = Math.max(minRows, Math.floor(updatesAtOnce / (nx * nz * size)));
      await inPieces(
        arena,
        { from: 0, to: ny, size: rowsAtOnce, progress: part(0.3, 0.7) },
        (jFrom, jTo, lane) =>
          arena.run(kernelTasks.backProject, {
            volume,
            setup: setupAt,
            angles,
            filtered,
            count: size,
            jFrom,
            jTo,
            scratch: scratch[lane],
          }),
      );
    });
  }
  const atOnce = Math.max(1, Math.min(nz, Math.floor(32e6 / (nx * ny * 4))));
  const out = arena.allocate(atOnce * nx * ny * 4, 'The volume');
  const radius2 = findSquaredRadius(grid);
  for (let k = 0; k < nz; k += atOnce) {
    const end = Math.min(nz, k + atOnce);
    await inPieces(arena, { from: 0, to: ny, size: 64 }, (jFrom, jTo) =>
      arena.run(kernelTasks.turnPlanes, {
        volume,
        planes: out,
        nx,
        ny,
        nz,
        kFrom: k,
        kTo: end,
        jFrom,
        jTo,
        radius2,
      }),
    );
    await write(new Float32Array(arena.floats(out, (end - k) * nx * ny)));
  }
}

/** Cosine, sine, distance from the axis and height of the source at each projection. */
const placeSources = ({ anglesDeg, sourceToAxisMm }: ScanGeometry, { views }: VirtualDetector) =>
  anglesDeg.map((degrees, i) => {
    const angle = (degrees * Math.PI) / 180;
    const place = views?.[i];
    return [
      Math.cos(angle),
      Math.sin(angle),
      place?.sourceToAxisMm ?? sourceToAxisMm,
      place?.sourceHeightMm ?? 0,
    ];
  });

/** Weight of each projection, and the position of its virtual pixels. The filter is scaled for the mean distance. */
function weighViews({ cover, detector, radiographs: { geometry } }: Plan) {
  const weights = [...cover.weights].map(
    (weight, i) => weight * (detector.views ? geometry.sourceToAxisMm / detector.views[i].sourceToAxisMm : 1),
  );
  return { weights, maps: weights.map((_, i) => detector.views?.[i].map ?? detector.map) };
}

/** Squared radius in cells, outside which values are dropped because not all projections see them. */
const findSquaredRadius = ({ radiusMm, voxelSizeMm }: PreviewGrid): number => (radiusMm / voxelSizeMm) ** 2;

function filterSetup(
  { radiographs, options, detector, layout }: Plan,
  facts: ReconstructionFacts,
  [zFrom, zTo]: [number, number],
): FilterSetup {
  const { geometry } = radiographs;
  const { beam, pixelSizeMm, sourceToAxisMm } = geometry;
  const { binning, grid } = facts;
  const views = detector.views ?? [{ sourceToAxisMm, sourceHeightMm: 0 }];
  const distances = views.map((view) => view.sourceToAxisMm);
  const heights = views.map((view) => view.sourceHeightMm);
  const [nearest, farthest] = [Math.min(...distances), Math.max(...distances)];
  const [lowest, highest] = [Math.min(...heights), Math.max(...heights)];
  const rowBinning = geometry.rows > 1 ? binning : 1;
  const rows = Math.floor(geometry.rows / rowBinning);
  const middleRow = (detector.middleRow + 0.5) / rowBinning - 0.5;
  // Detector rows that the slab can project to, when nearest to the source and farthest from it.
  let [low, high] = [Infinity, -Infinity];
  for (const plane of [zFrom, zTo - 1]) {
    const z = grid.originMm[2] + plane * grid.voxelSizeMm;
    for (const depth of [nearest - Math.SQRT2 * grid.radiusMm, farthest + Math.SQRT2 * grid.radiusMm]) {
      const magnification =
        beam === 'cone' ? detector.sourceToDetectorMm / Math.max(depth, 1e-3 * sourceToAxisMm) : 1;
      for (const height of [lowest, highest]) {
        const row = middleRow + ((z - height) * magnification) / (pixelSizeMm[1] * rowBinning);
        low = Math.min(low, row);
        high = Math.max(high, row);
      }
    }
  }
  const heldFrom = Math.max(0, Math.floor(low) - 2);
  const heldTo = Math.max(heldFrom, Math.min(rows, Math.ceil(high) + 3));
  return {
    ...layout,
    beam,
    across: detector.across,
    sourceToAxisMm,
    sourceToDetectorMm: detector.sourceToDetectorMm,
    pixelSizeMm,
    binning,
    rowBinning,
    centerColumn: (facts.centerColumn + 0.5) / binning - 0.5,
    middleRow,
    filter: options.filter,
    beamHardening: options.beamHardening ?? 0,
    heldFrom,
    heldTo,
    pitch: Math.ceil((heldTo - heldFrom + 1) / 4) * 4,
  };
}

/** Parameters of the compiled back-projection; see its header. */
function setupNumbers(
  geometry: ScanGeometry,
  detector: VirtualDetector,
  setup: FilterSetup,
  grid: PreviewGrid,
  zFrom: number,
  nz: number,
): number[] {
  const { pixelSizeMm, binning, rowBinning } = setup;
  return [
    grid.dimensions[0],
    grid.dimensions[1],
    nz,
    zFrom,
    ...grid.originMm,
    grid.voxelSizeMm,
    detector.sourceToDetectorMm,
    setup.centerColumn,
    detector.across / (pixelSizeMm[0] * binning),
    setup.middleRow,
    1 / (pixelSizeMm[1] * rowBinning),
    Math.floor(geometry.columns / binning),
    Math.floor(geometry.rows / rowBinning),
    setup.heldFrom,
    setup.pitch,
    ['cone', 'fan', 'parallel'].indexOf(geometry.beam),
    setup.heldTo - setup.heldFrom,
    findSquaredRadius(grid),
  ];
}
