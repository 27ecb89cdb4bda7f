import type { CellBox } from '../grid/region.ts';
import type { SlabSource, Vector3 } from '../grid/volume.ts';
import { KernelError } from '../kernel-error.ts';
import { type Components, type ComponentTable, dropped } from './bit-layout.ts';
import type { BitStage, StageOptions } from './bit-stage.ts';
import { findComponents } from './components.ts';
import type { RegionSide } from './cut-voids.ts';
import { type Defect, describeDefect } from './describe-defect.ts';
import {
  type GreyLevels,
  gatherDefects,
  measureDefects,
  placeDefects,
  type RawMeasures,
} from './measure-defects.ts';
import type { DefectTriangles } from './measure-slab.ts';
import type { PlaneVisitor } from './pale-regions.ts';
import type { DefectRuns } from './shape.ts';
import type { Sheets } from './sheets.ts';
import { measureShellVolumes, type ShellScan, type ShellVolume } from './shell-volumes.ts';
import { renumber, sumSheets, tabulate } from './tasks.ts';

export interface DefectSearch extends StageOptions {
  cells: CellBox;
  levels: GreyLevels;
  minVoxels: number;
  /** detection limit in voxels across */
  limitVoxels: number;
  /** radius of the ball that separates open voids from the outside; null = open voids are not searched */
  openingRadiusMm: number | null;
  /** when given, thin voids are searched, down to openings below a voxel */
  cracks?: { noise: number; range: [number, number] } | null;
  /** grey value above which material is an inclusion; null = inclusions are not searched */
  inclusionLevel?: number | null;
  inclusionGrey?: number | null;
  /** that grey value is unknown: each inclusion's volume follows from its own cells */
  isFaint?: boolean;
  /** inputs for integrating the volumes of closed voids */
  shells: ShellScan & {
    /** standard deviation of the material's level from place to place, as a share of the contrast */
    levelSpread: number;
    /** standard deviation as a share of the contrast; null = measured deep in the material */
    noise: number | null;
  };
  /** approximate limit of the number of surface triangles kept */
  maxTriangles: number;
  /** visits the planes of the region while voids are measured */
  visitor?: PlaneVisitor | null | undefined;
  onStage?: (name: string, fraction: number) => void;
}

export interface DefectGroup {
  defects: Defect[];
  triangles: DefectTriangles[];
  /** raw measures; the owners of the triangles are indices into them */
  measures: RawMeasures;
  /** share of the variance of the closed voids' volumes that is common to all of them */
  commonShare: number;
  /** number of components below the smallest defect size that do not touch the outer air */
  tooSmall: number;
  /** partly filled closed voids, whose volume exceeds the missing material; null = none found */
  filled: FilledVoids | null;
}

export interface FilledVoids {
  count: number;
  volumeMm3: number;
  /** emptiness of the fullest and of the emptiest one, measured in their middles, as shares of the contrast */
  emptiness: [number, number];
}

/** More defects than this are a foam or noise, not a list of defects. */
const maxDefects = 500_000;

export interface GroupPart {
  kind: 'porosity' | 'inclusion';
  from: number;
  share: number;
  /** grey value of a cell full of defect; null = that of air */
  grey: number | null;
  /** grey value at which its surface runs */
  level: number;
  /** for inclusions of unknown grey value: the level that they exceed */
  faintAbove: number | null;
  sheets: Sheets | null;
}
interface GroupWork extends GroupPart {
  source: SlabSource;
  search: DefectSearch;
  /**
   * bits: the phase of the defects, the defects, what competes for the cells around them, the air that is not a defect
   */
  phase: number;
  bits: number;
  others: number;
  outerAir: number;
  /** outer air within the region; what lies beyond a side that cuts the part is unknown */
  seenOuterAir: number;
  outside: number;
  cutSides: readonly RegionSide[];
}

/** Measures the defects in the bits of a group. @throws KernelError TOO_LARGE when there are too many defects */
export async function measureGroup(
  work: GroupWork,
  at: (stage: string, from: number, share: number) => BitStage,
): Promise<DefectGroup> {
  const { source, search, bits, kind, from, share } = work;
  const stage = kind === 'inclusion' ? 'Inclusions' : 'Voids';
  const start = at(stage, from, 0);
  const { grid, arena } = start;
  const components = await findComponents(bits, 26, start);
  const mask = kind === 'inclusion' ? 0 : work.outside;
  const table = await arena.run(tabulate, { grid, components, mask });
  const kept = keptComponents(table, components, search.minVoxels);
  if (kept.length > maxDefects) {
    throw new KernelError(
      'TOO_LARGE',
      `${kept.length} defects were found; the limit is ${maxDefects}. This is a foam or noise: raise the smallest defect, or choose another threshold or region.`,
    );
  }
  const map = new Uint32Array(components.count).fill(dropped);
  for (const [defect, number] of kept.entries()) map[number] = defect;
  await arena.run(renumber, { numbers: components.numbers, runCount: components.runCount, map });
  const totals = work.sheets
    ? await arena.run(sumSheets, { grid, components, count: kept.length, pieces: work.sheets.pieces })
    : null;
  let triangles = 0;
  let meshed = 0;
  // A surface has about six triangles per cell on the face of the cube with equal volume.
  while (meshed < kept.length) {
    triangles += 12 * table.voxels[kept[meshed]] ** (2 / 3) + 8;
    if (triangles > search.maxTriangles) break;
    meshed++;
  }
  const measures = await measureDefects(
    {
      source,
      cells: search.cells,
      defects: components,
      count: kept.length,
      phase: work.phase,
      others: work.others,
      levels: { ...search.levels, level: work.level },
      meshed,
      visitor: (kind === 'porosity' && search.visitor) || null,
    },
    at('Measuring', from, share * 0.4),
  );
  const runs = await gatherDefects(components, kept.length, start);
  const places = await placeDefects(
    {
      runs,
      outside: work.seenOuterAir,
      spacingMm: source.grid.voxelSizeMm,
      isOpen: Uint8Array.from(kept, (number) => table.marked[number]),
    },
    at('Measuring', from + share * 0.4, share * 0.3),
  );
  const integrals =
    kind === 'inclusion'
      ? new Map<number, ShellVolume>()
      : await integrateVoids(
          work,
          table,
          kept,
          runs,
          measures,
          at('Measuring', from + share * 0.7, share * 0.3),
        );
  const defects = kept.map((number, defect) =>
    describeDefect({ ...work, grid }, table, { number, defect }, measures, { ...places, integrals }, totals),
  );
  const cellMm3 = source.grid.voxelSizeMm.reduce((product, edge) => product * edge, 1);
  const filled = findFilled(integrals, cellMm3);
  const tooSmall = table.voxels.reduce(
    (sum, voxels, c) => sum + (voxels < search.minVoxels && table.marked[c] === 0 ? 1 : 0),
    0,
  );
  const commonShare = shareInCommon(integrals);
  return { defects, triangles: measures.triangles, measures, commonShare, tooSmall, filled };
}

/** Errors of thresholds are entirely common to all defects. */
function shareInCommon(integrals: Map<number, ShellVolume>): number {
  let [common, all] = [0, 0];
  for (const each of integrals.values()) {
    common += each.common ** 2;
    all += each.uncertainty ** 2;
  }
  return all > 0 ? common / all : 1;
}

/** Emptiness below which a void counts as filled; scattered radiation alone leaves more. */
const emptyFrom = 0.88;

function findFilled(integrals: Map<number, ShellVolume>, cellMm3: number): FilledVoids | null {
  const filled = [...integrals.values()].filter(
    ({ emptiness }) => emptiness !== null && emptiness < emptyFrom,
  );
  if (filled.length === 0) return null;
  const shares = filled.map(({ emptiness }) => emptiness ?? 1);
  return {
    count: filled.length,
    volumeMm3: filled.reduce((sum, { volume }) => sum + volume * cellMm3, 0),
    emptiness: [Math.min(...shares), Math.max(...shares)],
  };
}

/** Prior standard deviation of the slope of the material's level per cell: more than what local levels leave. */
const slopeSpread = 0.01;
/** Distance in cells from a void's cells below the level to the end of its blurred edge. */
const findReach = (blur: number) => Math.max(2.3, 0.8 + 2.5 * blur);

/** Integrates the volumes of closed voids against the material around them. */
function integrateVoids(
  { search, phase }: GroupWork,
  table: ComponentTable,
  kept: readonly number[],
  runs: DefectRuns,
  { grey }: RawMeasures,
  stage: BitStage,
): Promise<Map<number, ShellVolume>> {
  const { shells, cells } = search;
  const { air, material, noise } = grey;
  const voids = kept.flatMap((number, defect) => {
    if (table.marked[number] === 1) return [];
    const corner = (from: number) =>
      stage.grid.margin.map((margin, k) => table.boxes[6 * number + from + k] - margin) as Vector3;
    return [{ defect, voxels: table.voxels[number], first: corner(0), last: corner(3) }];
  });
  const request = {
    ...shells,
    cells,
    runs,
    air: phase,
    reach: findReach(shells.blur),
    level: { mean: 1, spread: shells.levelSpread, slope: slopeSpread },
    isQuiet: shells.noise !== null,
    axis: {
      at: [shells.axis.at[0] - cells.from[0], shells.axis.at[1] - cells.from[1]] as const,
      scatter: shells.axis.scatter,
    },
    noise: shells.noise ?? noise / (material - air),
    voids,
  };
  return measureShellVolumes(request, stage);
}

/**
 * Numbers of the components that count, the largest first. Components are numbered from bottom to top; equal sizes are
 * shuffled, so that when only some get a surface, these are spread over the whole region.
 */
function keptComponents({ voxels }: ComponentTable, components: Components, minVoxels: number): number[] {
  const kept: number[] = [];
  for (let c = 0; c < components.count; c++) if (voxels[c] >= minVoxels) kept.push(c);
  // Multiples of the golden ratio modulo 2³²: any consecutive numbers are spread evenly (Knuth, The Art of Computer
  // Programming, 6.4).
  const mixOrder = (number: number) => Math.imul(number, 0x9e3779b1) >>> 0;
  return kept.sort((a, b) => voxels[b] - voxels[a] || mixOrder(a) - mixOrder(b));
}
