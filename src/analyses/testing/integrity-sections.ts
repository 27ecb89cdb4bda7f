import type { Vector3 } from '#kernels/grid/volume.ts';
import type { AccuracyCase, AccuracySection } from '#kernels/testing/accuracy/section.ts';
import { blurVolume } from '#kernels/testing/blur.ts';
import { type Pore, scatterPores } from '#kernels/testing/bodies.ts';
import { addNoise, blockWith, poreBodies } from '#kernels/testing/carve.ts';
import { crackErrors, poreErrors, runIntegrity, scatterDiscs, trueShare } from './integrity-run.ts';

/** Standard deviations in grey values: a twentieth of the contrast, and a tenth of it. */
const noise = 1600;
const strongNoise = 3200;
/** In voxels, of 1 mm. */
const blurMm = 0.6;

export interface PoreClass {
  radii: [number, number];
  count: number;
  /** bound of the volume error, in % */
  bound: number;
}
export const poreClasses: PoreClass[] = [
  { radii: [2, 3], count: 60, bound: 3 },
  { radii: [3, 5], count: 40, bound: 1 },
  { radii: [5, 8], count: 10, bound: 0.5 },
  { radii: [8, 12], count: 4, bound: 0.4 },
];
const blockMm: Vector3 = [83.6, 82.3, 84.7];
const conditions = [
  { name: 'clean', noise: 0, blur: 0 },
  { name: 'noise', noise, blur: 0 },
  { name: 'blur', noise: 0, blur: blurMm },
  { name: 'blur and noise', noise, blur: blurMm },
];
type Condition = (typeof conditions)[number];

interface Block {
  blockMm: Vector3;
  dimensions: Vector3;
  /** fractions of a mm; 1 along each axis by default */
  voxelSizeMm?: Vector3;
  seed: number;
}
function poresIn(pores: readonly Pore[], { seed, ...block }: Block, condition: Condition) {
  const volume = blockWith(poreBodies(pores), block);
  if (condition.blur > 0) blurVolume(volume, condition.blur);
  if (condition.noise > 0) addNoise(volume, condition.noise, seed);
  return volume;
}

/** The pores of one class in their block, at one condition of the scan. */
export const poreCase = ({ radii, count, bound }: PoreClass, condition: Condition): AccuracyCase => ({
  place: [`${radii[0]} to ${radii[1]}`, 'cubic', condition.name],
  bounds: { Found: count, Invented: 0, Volume: bound, Position: 0.1, Porosity: 0.02 },
  measure: async (pool) => {
    const pores = scatterPores(blockMm, count, radii, 11 + radii[0]);
    const volume = poresIn(pores, { blockMm, dimensions: [96, 96, 96], seed: radii[1] }, condition);
    return computeFigures(await runIntegrity(volume, pool), pores, blockMm);
  },
});

function computeFigures(
  { defects, metadata }: Awaited<ReturnType<typeof runIntegrity>>,
  pores: readonly Pore[],
  size: Vector3,
) {
  const errors = poreErrors(defects, pores);
  const found = pores.length - errors.missed;
  return {
    Found: found,
    Invented: defects.length - found,
    Volume: 100 * errors.volume,
    Position: errors.position,
    Porosity: 100 * ((metadata['porosity'] as number) - trueShare(pores, size)),
  };
}

const poreFigures: AccuracySection['figures'] = [
  { name: 'Found', digits: 0, bound: 'exactly' },
  { name: 'Invented', digits: 0, bound: 'exactly' },
  { name: 'Volume', digits: 2 },
  { name: 'Position', digits: 3 },
  { name: 'Porosity', digits: 4, signed: true },
];

/** Voxels of 1 × 1 × 1.5 mm; radii are in units of the smallest edge. */
const anisotropic: Vector3 = [1, 1, 1.5];
const anisotropicCase = (pores: PoreClass, condition: Condition): AccuracyCase => {
  const cubic = poreCase(pores, condition);
  return {
    ...cubic,
    place: [cubic.place[0], 'anisotropic', condition.name],
    measure: async (pool) => {
      const scattered = scatterPores(blockMm, pores.count, pores.radii, 11 + pores.radii[0]);
      const block = { blockMm, dimensions: [96, 96, 66] as Vector3, voxelSizeMm: anisotropic, seed: 3 };
      return computeFigures(
        await runIntegrity(poresIn(scattered, block, condition), pool),
        scattered,
        blockMm,
      );
    },
  };
};

export const poreSection: AccuracySection = {
  title: 'Pores by radius',
  text: `Balls with these radii, in voxels, scattered in a block of about 84 voxels, found and measured by runIntegrityAnalysis with its
defaults. *Volume*: mean absolute error in %; *Position*: mean distance of the centres in voxels; *Porosity*: error of the
whole block's porosity in percentage points. The threshold is midway between the local levels of air and material; the volume is the
integral of the grey-value deficit against a shell of material around each pore. The level of the shells is that of the whole scan
unless the shells show that it differs.`,
  places: ['Radius', 'Voxels', 'Grey values'],
  figures: poreFigures,
  cases: poreClasses.flatMap((each) => [
    ...conditions.map((condition) => poreCase(each, condition)),
    anisotropicCase(each, conditions[1]),
  ]),
};

const manySize: Vector3 = [105.3, 104.6, 105.8];
export const manyPores = () => scatterPores(manySize, 300, [2, 6], 5);
export const manyCase = (condition: Condition): AccuracyCase => ({
  place: ['300 balls of 2 to 6 voxels radius', 'cubic', condition.name],
  bounds: { Found: 300, Invented: 0, Volume: 3, Position: 0.1, Porosity: 0.02 },
  measure: async (pool) => {
    const pores = manyPores();
    const volume = poresIn(pores, { blockMm: manySize, dimensions: [118, 118, 118], seed: 9 }, condition);
    return computeFigures(await runIntegrity(volume, pool), pores, manySize);
  },
});

export const manyPoresSection: AccuracySection = {
  title: '300 pores in a block',
  text: 'As above, with all radii in one block of about 105 voxels; the bound of the volume is that of the smallest radius.',
  places: ['Pores', 'Voxels', 'Grey values'],
  figures: poreFigures,
  cases: conditions.map(manyCase),
};

interface CrackClass {
  openingMm: number;
  /** least share of cracks found, and largest error of the area, in % */
  found: number;
  area: number;
}
export const crackClasses: CrackClass[] = [
  { openingMm: 1.5, found: 95, area: 10 },
  { openingMm: 0.6, found: 90, area: 15 },
];
/** 27 discs in a block. */
export const crackCase = ({ openingMm, found, area }: CrackClass, blur: number): AccuracyCase => ({
  place: [`${openingMm}`, blur > 0 ? 'blur and noise' : 'noise'],
  bounds: { 'Found, %': found, Invented: 0, Area: area, Opening: 15 },
  measure: async (pool) => {
    const discs = scatterDiscs(27, openingMm, 21);
    const bodies = discs.map(({ body }) => body);
    const volume = blockWith(bodies, { dimensions: [108, 108, 108], blockMm: [98, 98, 98] });
    if (blur > 0) blurVolume(volume, blur);
    addNoise(volume, strongNoise, 4);
    const { defects } = await runIntegrity(volume, pool, { kinds: ['crack'] });
    const errors = crackErrors(defects, discs, openingMm);
    return {
      'Found, %': 100 * errors.foundShare,
      Invented: errors.invented,
      Area: 100 * errors.area,
      Opening: 100 * errors.opening,
    };
  },
});

export const crackSection: AccuracySection = {
  title: 'Cracks',
  text: `27 discs with radii of 7 to 11 voxels in random orientation in a block, at a contrast of ten times the noise. *Area*: mean absolute
error in %; *Opening*: error of the mean in %.`,
  places: ['Opening, voxels', 'Grey values'],
  figures: [
    { name: 'Found, %', digits: 1, bound: 'at least' },
    { name: 'Invented', digits: 0, bound: 'exactly' },
    { name: 'Area', digits: 2 },
    { name: 'Opening', digits: 2, signed: true },
  ],
  cases: crackClasses.flatMap((each) => [0, blurMm].map((blur) => crackCase(each, blur))),
};
