/** Families of scans that no method was fitted to: bodies times impairments, each case by its seed. */
import type { Vector3 } from '#kernels/grid/volume.ts';
import {
  compoundPart,
  fins,
  gyroid,
  lattice,
  type Part,
  plainPart,
  plate,
  porousPart,
  randomPart,
  taper,
  thread,
} from '#kernels/testing/families/bodies.ts';
import type { Impairments } from '#kernels/testing/families/impair.ts';

export interface FamilyCase {
  name: string;
  part: Part;
  dimensions: Vector3;
  voxelSizeMm: Vector3;
  /** standard deviation */
  blurMm: number;
  impairments: Impairments;
  /** the grid leaves a piece of the part out */
  isCut?: boolean;
}

export interface Family {
  title: string;
  /** what of it a scan carries: marks would be noise */
  isGood?: boolean;
  /** @returns the same for the same seed */
  listCases(seed: number): FamilyCase[];
}

const usual: Pick<FamilyCase, 'dimensions' | 'voxelSizeMm' | 'blurMm' | 'impairments'> = {
  dimensions: [64, 64, 64],
  voxelSizeMm: [1, 1, 1],
  blurMm: 0.6,
  impairments: { contrastToNoise: 20 },
};
const scan = (
  name: string,
  part: Part,
  { impairments, ...rest }: Partial<Omit<FamilyCase, 'name' | 'part'>> = {},
  seed = 1,
): FamilyCase => ({
  ...usual,
  name,
  part,
  ...rest,
  impairments: { ...usual.impairments, seed, ...impairments },
});

const bodies = [plainPart, randomPart, porousPart];
/** Each impairment on a plain, a random and a porous part. */
const onBodies = (
  all: readonly (readonly [name: string, impairments: Impairments])[],
  seed: number,
  rest: Partial<FamilyCase> = {},
): FamilyCase[] =>
  all.flatMap(([name, impairments], i) =>
    bodies.map((make, b) => {
      const own = 1000 * seed + 10 * i + b;
      return scan(`${make.name}, ${name}`, make(own), { ...rest, impairments }, own);
    }),
  );

/** Walls of a thickness, at several poses. */
const walls = (make: (seed: number) => Part, name: string, seed: number, count = 1): FamilyCase[] =>
  Array.from({ length: count }, (_, i) => scan(name, make(100 * seed + i), {}, 100 * seed + i));

export const families: readonly Family[] = [
  {
    title: 'Plain parts',
    isGood: true,
    listCases: (seed) =>
      Array.from({ length: 6 }, (_, i) => {
        const impairments = { contrastToNoise: i % 2 === 0 ? 20 : 12 };
        return scan(`number ${i + 1}`, plainPart(50 * seed + i), { impairments }, seed + i);
      }),
  },
  {
    title: 'Random parts',
    isGood: true,
    listCases: (seed) =>
      Array.from({ length: 8 }, (_, i) => {
        const impairments = { contrastToNoise: [40, 20, 12][i % 3] ?? 20 };
        return scan(`number ${i + 1}`, randomPart(70 * seed + i), { impairments }, seed + i);
      }),
  },
  {
    title: 'Porous parts',
    isGood: true,
    listCases: (seed) =>
      Array.from({ length: 6 }, (_, i) => {
        const impairments = { contrastToNoise: i % 2 === 0 ? 20 : 12 };
        return scan(`number ${i + 1}`, porousPart(30 * seed + i), { impairments }, seed + i);
      }),
  },
  {
    title: 'Small pores',
    listCases: (seed) =>
      Array.from({ length: 3 }, (_, i) =>
        scan(`radii 1.2 to 2.5, number ${i + 1}`, porousPart(40 * seed + i, [1.2, 2.5], 4), {}, seed + i),
      ),
  },
  {
    title: 'Plates',
    listCases: (seed) =>
      [1, 1.5, 2, 2.5, 3, 3.5, 4, 5].flatMap((t) =>
        [true, false].flatMap((isAlong) =>
          walls(
            (own) => plate(t, own, isAlong),
            `${t} voxels, ${isAlong ? 'along an axis' : 'tilted'}`,
            seed + t,
          ),
        ),
      ),
  },
  {
    title: 'Plates without blur or noise',
    listCases: (seed) =>
      [1, 2, 3, 5].flatMap((t) =>
        [true, false].map((isAlong) =>
          scan(`${t} voxels, ${isAlong ? 'along an axis' : 'tilted'}`, plate(t, seed + t, isAlong), {
            blurMm: 0,
            impairments: { contrastToNoise: 200 },
          }),
        ),
      ),
  },
  {
    title: 'Fins',
    listCases: (seed) => [2, 3, 4.5, 6].flatMap((t) => walls((own) => fins(t, own), `${t} voxels`, seed + t)),
  },
  {
    title: 'Tapers',
    listCases: (seed) =>
      [1, 3, 6].flatMap((t) => walls((own) => taper(14, t, own), `14 to ${t} voxels`, seed + t)),
  },
  {
    title: 'Lattices',
    listCases: (seed) =>
      [1.2, 1.8, 2.6, 3.4].flatMap((r) =>
        walls((own) => lattice(r, 15, own), `struts of radius ${r}`, seed + r),
      ),
  },
  {
    title: 'Gyroids',
    listCases: (seed) =>
      [2, 3, 4, 5.5].flatMap((t) => walls((own) => gyroid(t, 26, own), `sheet of ${t} voxels`, seed + t)),
  },
  {
    title: 'Threads',
    listCases: (seed) =>
      [5, 8, 11].flatMap((p) => walls((own) => thread(p, 0.6 * p, own), `pitch ${p}`, seed + p)),
  },
  {
    title: 'Two and three materials',
    listCases: (seed) =>
      [[0.31], [0.5], [0.13], [0.75], [0.3, 0.6]].map(([lightest = 1, ...others], i) =>
        scan(
          `of ${[lightest, ...others, 1].join(', ')}`,
          compoundPart(lightest, [...others, 1], seed + i),
          { impairments: { contrastToNoise: 20 * lightest } },
          seed + i,
        ),
      ),
  },
  {
    title: 'Cut scans',
    listCases: (seed) =>
      [plainPart, porousPart, randomPart].flatMap((make, b) =>
        (
          [
            [64, 64, 22],
            [30, 64, 64],
          ] as Vector3[]
        ).map((dimensions, i) =>
          scan(
            `${make.name}, ${dimensions.join(' × ')}`,
            make(60 * seed + b),
            { dimensions, isCut: true },
            seed + i,
          ),
        ),
      ),
  },
  {
    title: 'Cupping',
    listCases: (seed) =>
      onBodies(
        [0.15, 0.35, 0.6].map((cupping) => [`${100 * cupping} %`, { cupping }] as const),
        seed,
      ),
  },
  {
    title: 'Ramps',
    listCases: (seed) =>
      onBodies(
        [0.15, 0.4, 0.8].map((ramp) => [`${100 * ramp} %`, { ramp }] as const),
        seed,
      ),
  },
  {
    title: 'Rings',
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
    listCases: (seed) =>
      onBodies(
        [0.1, 0.3].map((drift) => [`${100 * drift} %`, { drift }] as const),
        seed,
      ),
  },
  {
    title: 'Voxels of 1:3',
    listCases: (seed) =>
      onBodies([['1:1:3', {}]], seed, { dimensions: [64, 64, 22], voxelSizeMm: [1, 1, 3] }),
  },
  {
    title: 'Contrast to noise',
    listCases: (seed) =>
      onBodies(
        [8, 6, 4.5, 3.5, 2.5].map((contrastToNoise) => [`${contrastToNoise}`, { contrastToNoise }] as const),
        seed,
      ),
  },
  {
    title: 'Noise with a grain',
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
    title: 'Blur',
    listCases: (seed) =>
      [0.3, 1, 1.5].flatMap((blurMm) => onBodies([[`${blurMm} voxels`, {}]], seed, { blurMm })),
  },
  {
    title: 'Saturation',
    listCases: (seed) =>
      onBodies(
        [1, 0.9, 0.7].map((saturation) => [`at ${100 * saturation} %`, { saturation }] as const),
        seed,
      ),
  },
  {
    title: 'Lost slices',
    listCases: (seed) =>
      onBodies(
        [
          ['one empty', { lost: { empty: [30] } }],
          ['three repeated', { lost: { repeated: [22, 23, 41] } }],
          ['twelve empty', { lost: { empty: Array.from({ length: 12 }, (_, i) => 28 + i) } }],
        ],
        seed,
      ),
  },
  {
    title: 'Few voxels',
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
