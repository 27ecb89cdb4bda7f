/** Families of scanner effects on grey values, each on a plain, a random and a porous part. */
import type { Volume } from '#kernels/grid/volume.ts';
import { plainPart, porousPart, randomPart } from '#kernels/testing/families/bodies.ts';
import {
  addHaze,
  bendGreys,
  emptyColumn,
  roundGreys,
  strewSpecks,
} from '#kernels/testing/families/change-greys.ts';
import {
  filterBilateral,
  filterDiffusion,
  filterMedian,
  filterNonLocal,
} from '#kernels/testing/families/edge-filters.ts';
import { steppedShaft } from '#kernels/testing/families/machined-parts.ts';
import {
  doubleScan,
  joinScans,
  shakeSlices,
  swapSlices,
  swaySlices,
} from '#kernels/testing/families/move-slices.ts';
import { type Family, onBodies, scan } from './family.ts';

/** By name, with the contrast to noise of their input. */
const edgeFilters: readonly (readonly [string, number, (volume: Volume) => Volume])[] = [
  ['median', 20, (volume) => filterMedian(volume, 1)],
  ['median twice', 10, (volume) => filterMedian(volume, 2)],
  ['bilateral', 6, (volume) => filterBilateral(volume, 2, 12_000)],
  ['non-local means', 10, (volume) => filterNonLocal(volume, 6000)],
  ['diffusion', 8, (volume) => filterDiffusion(volume, 8000, 20)],
];

export const scannerFamilies: readonly Family[] = [
  {
    title: 'Cupping',
    stands: 'Material that is darker in the middle by 15 to 60 %.',
    argument: 'Local levels are known to 2 % where the part shows them.',
    listCases: (seed) =>
      onBodies(
        [0.15, 0.35, 0.6].map((cupping) => [`${100 * cupping} %`, { cupping }] as const),
        seed,
      ),
  },
  {
    title: 'Ramps',
    stands: 'A background that rises across the scan.',
    argument: 'As for cupping.',
    listCases: (seed) =>
      onBodies(
        [0.15, 0.4, 0.8].map((ramp) => [`${100 * ramp} %`, { ramp }] as const),
        seed,
      ),
  },
  {
    title: 'Rings',
    stands: 'Rings of 8 to 45 %, also about an axis off the middle and over half a turn.',
    argument: 'Rings are as wide as pores; above 15 % of the contrast they shift surfaces by half a voxel.',
    listCases: (seed) =>
      onBodies(
        [
          ['8 %', { rings: { height: 0.08 } }],
          ['20 %', { rings: { height: 0.2 } }],
          ['45 %', { rings: { height: 0.45 } }],
          ['20 %, 9 voxels off the middle', { rings: { height: 0.2, offAxis: 9 } }],
          ['45 %, 20 voxels off the middle', { rings: { height: 0.45, offAxis: 20 } }],
          ['30 %, half a turn', { rings: { height: 0.3, isHalf: true } }],
        ],
        seed,
      ),
  },
  {
    title: 'Drift',
    stands: 'Contrast that fades from plane to plane.',
    argument: 'As for cupping.',
    listCases: (seed) =>
      onBodies(
        [0.1, 0.3].map((drift) => [`${100 * drift} %`, { drift }] as const),
        seed,
      ),
  },
  {
    title: 'Voxels of 1:3',
    stands: 'Voxels three times as long along one axis.',
    argument: 'The longest edge sets blur and detection limit along its axis.',
    listCases: (seed) =>
      onBodies([['1:1:3', {}]], seed, { dimensions: [64, 64, 22], voxelSizeMm: [1, 1, 3] }),
  },
  {
    title: 'Contrast to noise',
    stands: 'A contrast of 8 down to 2.5 times the noise.',
    argument: 'Noise changes a volume in proportion to its strength; below 3 the surface is lost.',
    listCases: (seed) =>
      onBodies(
        [8, 6, 4.5, 3.5, 2.5].map((contrastToNoise) => [`${contrastToNoise}`, { contrastToNoise }] as const),
        seed,
      ),
  },
  {
    title: 'Noise with a grain',
    stands: 'Noise that is correlated over several voxels.',
    argument: 'Filters cannot remove it, so it counts as stronger noise.',
    listCases: (seed) =>
      onBodies(
        [
          ['10, grain 0.8', { contrastToNoise: 10, grain: 0.8 }],
          ['5, grain 0.8', { contrastToNoise: 5, grain: 0.8 }],
          ['8, grain 1.6', { contrastToNoise: 8, grain: 1.6 }],
        ],
        seed,
      ),
  },
  {
    title: 'Filtered before',
    stands: 'Scans after an edge-preserving noise filter: median, bilateral, non-local means, diffusion.',
    argument: 'As for plain and porous parts: the truth includes details that the filter removed.',
    listCases: (seed) =>
      edgeFilters.flatMap(([name, contrastToNoise, process], i) =>
        [plainPart, porousPart].map((make, b) => {
          const own = 1000 * seed + 10 * i + b;
          return scan(`${make.name}, ${name}`, make(own), { process, impairments: { contrastToNoise } }, own);
        }),
      ),
  },
  {
    title: 'Blur',
    stands: 'Edges blurred by 0.3, 1 and 1.5 voxels.',
    argument: 'An edge moves by √(2π) × blur × 2 %.',
    listCases: (seed) =>
      [0.3, 1, 1.5].flatMap((blurMm) => onBodies([[`${blurMm} voxels`, {}]], seed, { blurMm })),
  },
  {
    title: 'Sharper across slices',
    stands:
      'Blur of 0.7 to 1.4 voxels within slices and 0.3 across them, as filters of the radiographs leave it; parts with ends and ledges between slices.',
    argument: 'As for blur, with a separate blur for each edge direction.',
    listCases: (seed) =>
      [0.7, 1, 1.4].flatMap((blurMm, i) => {
        const blurs = { blurMm, blurAcrossMm: 0.3 };
        const own = 1000 * seed + i;
        const shaft = scan(`steppedShaft, ${blurMm} voxels`, steppedShaft(own), blurs, own);
        return [shaft, ...onBodies([[`${blurMm} voxels`, {}]], own, blurs)];
      }),
  },
  {
    title: 'Saturation',
    stands: 'Grey values clipped at and below the material’s.',
    argument: 'The level cannot be determined from clipped values.',
    listCases: (seed) =>
      onBodies(
        [1, 0.9, 0.7].map((saturation) => [`at ${100 * saturation} %`, { saturation }] as const),
        seed,
      ),
  },
  {
    title: 'Air cut off',
    stands: 'Grey values clipped above those of air, as by an export with too narrow a range.',
    argument: 'The level cannot be determined from clipped values.',
    listCases: (seed) =>
      onBodies(
        [0.15, 0.3].map((floor) => [`at ${100 * floor} %`, { floor }] as const),
        seed,
      ),
  },
  {
    title: 'Bands across slices',
    stands: 'Slices that alternate in brightness by 3 to 20 %, across each axis.',
    argument:
      'An edge moves by √(2π) × blur × half of the error of its level, alternately inwards and outwards.',
    listCases: (seed) =>
      onBodies(
        [
          ['3 % of 5 slices', { bands: { height: 0.03, period: 5 } }],
          ['10 % of 4.8 slices', { bands: { height: 0.1, period: 4.8 } }],
          ['20 % of 2.5 slices', { bands: { height: 0.2, period: 2.5 } }],
          ['10 % of 9 slices across x', { bands: { height: 0.1, period: 9, axis: 0 } }],
          ['20 % of 14 slices', { bands: { height: 0.2, period: 14 } }],
          ['15 % of 22 slices across y', { bands: { height: 0.15, period: 22, axis: 1 } }],
        ],
        seed,
      ),
  },
  {
    title: 'Nothing seen outside',
    stands: 'Scans with the value 0, far below air, outside the circular field of view.',
    argument: 'As for plain parts: the region outside is not part of them.',
    isGood: true,
    listCases: (seed) => onBodies([['circle of 96 %', { seenShare: 0.96 }]], seed),
  },
  {
    title: 'Lost slices',
    stands: 'Slices that are empty or repeated.',
    argument: 'Missing slices cannot be recovered.',
    listCases: (seed) => [
      ...onBodies([['one across x empty', {}]], seed + 1, { process: emptyColumn }),
      ...onBodies(
        [
          ['one empty', { lost: { empty: [30] } }],
          ['three repeated', { lost: { repeated: [22, 23, 41] } }],
          ['twelve empty', { lost: { empty: Array.from({ length: 12 }, (_, i) => 28 + i) } }],
        ],
        seed,
      ),
    ],
  },
  {
    title: 'Changed grey values',
    stands: 'Grey values after a gamma curve, and grey values rounded to few steps.',
    argument: 'A curve shifts the middle between air and material; an error of half a step is allowed.',
    listCases: (seed) => [
      ...[0.65, 1.4].flatMap((power, i) =>
        onBodies([[`gamma ${power}`, {}]], seed + i, { process: (volume) => bendGreys(volume, power) }),
      ),
      ...onBodies([['20 steps', {}]], seed + 2, { process: (volume) => roundGreys(volume, 20) }),
    ],
  },
  {
    title: 'Dead and hot voxels',
    stands: 'Single voxels, 0.05 to 0.5 % of all, with the lowest or the highest grey value.',
    argument: 'As for plain parts: a single voxel can be restored from its neighbours.',
    listCases: (seed) =>
      [0.0005, 0.002, 0.005].flatMap((share) =>
        onBodies([[`${100 * share} %`, {}]], seed + 1000 * share, {
          process: (volume) => strewSpecks(volume, share, seed),
        }),
      ),
  },
  {
    title: 'Haze',
    stands:
      'Air that is brighter beside the part, by 20 % of the contrast at its faces, within 2 and 4 voxels.',
    argument: 'As for plain parts: material added by haze has to be marked.',
    listCases: (seed) =>
      [2, 4].flatMap((reach) =>
        onBodies([[`within ${reach} voxels`, {}]], seed + reach, {
          process: (volume) => addHaze(volume, 0.2, reach),
        }),
      ),
  },
  {
    title: 'Moved slices',
    stands: 'Slices in the wrong order, and slices shifted against each other by one and two voxels.',
    argument: 'As for plain parts: torn surfaces have to be marked.',
    listCases: (seed) => [
      ...onBodies([['swapped', {}]], seed, { process: swapSlices }),
      ...[1, 2].flatMap((voxels) =>
        onBodies([[`moved by ${voxels}`, {}]], seed + voxels, {
          process: (volume) => shakeSlices(volume, voxels, seed),
        }),
      ),
    ],
  },
  {
    title: 'Double edges',
    stands: 'Scans whose part was displaced by 3 to 5 voxels for half of the time.',
    argument: 'As for plain parts: results from either position have to be marked.',
    listCases: (seed) =>
      (
        [
          [3, 0],
          [0, 4],
          [5, 0],
        ] as const
      ).flatMap((by, i) =>
        onBodies([[`by ${Math.max(...by)} voxels`, { contrastToNoise: 1e4 }]], seed + i, {
          process: (volume) => doubleScan(volume, by, 1600, seed),
        }),
      ),
  },
  {
    title: 'Swaying slices',
    stands: 'Slices shifted by 0.5 to 1.5 voxels along smooth curves with a period of 7 to 16 slices.',
    argument: 'As for plain parts: the resulting waves on faces have to be marked.',
    listCases: (seed) =>
      (
        [
          [0.5, 7],
          [1, 10],
          [1.5, 16],
        ] as const
      ).flatMap(([voxels, period]) =>
        onBodies([[`${voxels} voxels, every ${period} slices`, { contrastToNoise: 1e4 }]], seed + period, {
          process: (volume) => swaySlices(volume, voxels, period, 1600, seed),
        }),
      ),
  },
  {
    title: 'Joined scans',
    stands: 'Two scans joined along their height with the wrong overlap: slices are doubled or missing.',
    argument:
      'Blur spreads an edge over neighbouring slices; an edge that jumps between two slices shows a joint. Where both sides match, as in a part that is the same in all slices, the joint is invisible.',
    listCases: (seed) =>
      (
        [
          [plainPart, 20],
          [plainPart, 8],
          [randomPart, 20],
          [randomPart, 8],
          [randomPart, -12],
        ] as const
      ).map(([make, doubled], i) => {
        const own = 1000 * seed + i;
        const process = (volume: Volume) => joinScans(volume, doubled, 1600);
        const name = doubled > 0 ? `${doubled} slices doubled` : `${-doubled} slices missing`;
        const impairments = { contrastToNoise: 1e4 };
        return scan(`${make.name}, ${name}`, make(own), { process, impairments }, own);
      }),
  },
  {
    title: 'Few voxels',
    stands: 'Parts in scans of 20 and 24 voxels along each axis.',
    argument: 'As for plain parts, with larger voxels.',
    listCases: (seed) =>
      [24, 20].flatMap((n) =>
        [1, 2].map((i) => {
          const part = plainPart(90 * seed + i);
          const voxel = 64 / n;
          return scan(
            `${n} voxels along each axis, ${part.body.name}`,
            part,
            { dimensions: [n, n, n], voxelSizeMm: [voxel, voxel, voxel], blurMm: 0.6 * voxel },
            seed,
          );
        }),
      ),
  },
];
