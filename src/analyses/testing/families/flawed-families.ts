/** Families of parts with voids and inclusions of any shape, in good and bad scans. */
import { compoundPart } from '#kernels/testing/families/bodies.ts';
import {
  type Flaws,
  filledBlock,
  flawedPart,
  porousCompound,
} from '#kernels/testing/families/flawed-parts.ts';
import { type Family, type FamilyCase, scan } from './family.ts';

const closed: Flaws = {
  shapes: ['ball', 'ball', 'pair', 'cluster', 'sheet', 'sponge'],
  count: 6,
  radii: [2, 4],
  gap: 3,
};
const open: Flaws = { shapes: ['pit', 'slot'], count: 5, radii: [2.5, 4], gap: 3 };
const mixed: Flaws = { shapes: ['ball', 'pit', 'slot', 'pair', 'sheet'], count: 7, radii: [2, 4], gap: 3 };

/** Each condition on a separate part. */
const flawed = (
  flaws: Flaws,
  seed: number,
  conditions: readonly (readonly [name: string, rest: Partial<FamilyCase>])[],
): FamilyCase[] =>
  conditions.map(([name, rest], i) => scan(name, flawedPart(100 * seed + i, flaws), rest, 100 * seed + i));

const numbered = (count: number, rest: Partial<FamilyCase> = {}) =>
  Array.from({ length: count }, (_, i) => [`number ${i + 1}`, rest] as const);

export const flawedFamilies: readonly Family[] = [
  {
    title: 'Closed pores of any shape',
    stands: 'Blocks and cylinders with balls, pairs that touch, clusters, flat pores and sponges.',
    argument: 'An error of the level counts over the whole volume that a pore’s grey values spread to.',
    isGood: true,
    listCases: (seed) => flawed(closed, seed, numbered(4)),
  },
  {
    title: 'Open voids',
    stands: 'Pits with a mouth narrower than the pit, and slots of 1.5 to 3 voxels.',
    argument:
      'The ball that closes a mouth of half width h, with edges rounded by r, sinks into it by (h + r)² / (2 ball).',
    listCases: (seed) => flawed(open, seed + 0.1, numbered(4)),
  },
  {
    title: 'Cracks',
    stands: 'Discs of 1.2 to 2.2 voxels in random orientation.',
    argument: 'Where blur leaves less than half the contrast, a crack may be found in pieces or not at all.',
    listCases: (seed) =>
      flawed(
        { shapes: ['crack'], count: 3, radii: [3, 5], gap: 3 },
        seed + 0.2,
        numbered(3, { parameters: { kinds: ['porosity', 'crack'] } }),
      ),
  },
  {
    title: 'Inclusions',
    stands: 'Balls of 1.2 to 2.4 times the part’s grey value, with or without pores beside them.',
    argument: 'As for pores, with the inclusion’s own contrast.',
    listCases: (seed) =>
      (['inclusion', 'ball'] as const).flatMap((other, i) =>
        flawed(
          { shapes: ['inclusion', other], count: 5, radii: [2, 4], gap: 3 },
          seed + 0.3 + i / 20,
          numbered(2, { parameters: { kinds: ['porosity', 'inclusion'] } }).map(
            ([name, rest]) => [`${other === 'ball' ? 'with pores' : 'alone'}, ${name}`, rest] as const,
          ),
        ),
      ),
  },
  {
    title: 'Several materials with pores',
    stands: 'Blocks of a light material around denser ones, with pores in the light one.',
    argument: 'Pores lie in the light material, so its own contrast counts.',
    listCases: (seed) =>
      [
        { lightest: 1, others: [1.6] },
        { lightest: 0.45, others: [1] },
        { lightest: 0.3, others: [0.6, 1] },
      ].map(({ lightest, others }, i) =>
        scan(
          `${[lightest, ...others].join(', ')}`,
          porousCompound(compoundPart(lightest, others, 11 * seed + i), 11 * seed + i),
          { impairments: { contrastToNoise: 20 } },
          seed + i,
        ),
      ),
  },
  {
    title: 'Blocks that fill the scan',
    stands: 'Regions within a part: no air around them, and pores of 2 to 4 voxels as the only dark voxels.',
    argument: 'The widest pores give the grey value of air to within 4 %.',
    listCases: (seed) =>
      [20, 6].map((contrastToNoise, i) =>
        scan(
          `${contrastToNoise}`,
          filledBlock(19 * seed + i),
          { dimensions: [56, 56, 56], impairments: { contrastToNoise } },
          seed + i,
        ),
      ),
  },
  {
    title: 'Flaws in noise',
    stands: 'Pores, pits, slots and flat pores at a contrast of 10 to 3 times the noise, also with a grain.',
    argument:
      'Noise counts with the square root of the volume; flaws with fewer than 14 voxels clear of the noise may be missed.',
    listCases: (seed) =>
      flawed(mixed, seed + 0.4, [
        ...[10, 6, 4.5, 3].map(
          (contrastToNoise) => [`${contrastToNoise}`, { impairments: { contrastToNoise } }] as const,
        ),
        ['8, grain 0.8', { impairments: { contrastToNoise: 8, grain: 0.8 } }],
      ]),
  },
  {
    title: 'Flaws and blur',
    stands: 'The same, with edges blurred by 0.3, 1 and 1.5 voxels.',
    argument: 'Blur widens the region that a void’s grey values spread to.',
    listCases: (seed) =>
      flawed(
        mixed,
        seed + 0.5,
        [0.3, 1, 1.5].map((blurMm) => [`${blurMm} voxels`, { blurMm }] as const),
      ),
  },
  {
    title: 'Flaws in uneven scans',
    stands: 'The same, under cupping of 15 to 60 % and a background that rises by 15 and 40 %.',
    argument: 'Local levels are known to 2 % where the part shows them.',
    listCases: (seed) =>
      flawed(mixed, seed + 0.6, [
        ...[0.15, 0.35, 0.6].map(
          (cupping) => [`cupping ${100 * cupping} %`, { impairments: { cupping } }] as const,
        ),
        ...[0.15, 0.4].map((ramp) => [`ramp ${100 * ramp} %`, { impairments: { ramp } }] as const),
      ]),
  },
  {
    title: 'Flaws among rings and streaks',
    stands: 'The same, with rings and streaks over a few planes each, of 8 to 50 % of the contrast.',
    argument: 'A ring of more than half the contrast cannot be distinguished from a void.',
    listCases: (seed) =>
      flawed(mixed, seed + 0.7, [
        ...[0.08, 0.2, 0.5].map((height, i) => {
          const artefacts = { rings: { height, count: 14 }, seed: 10 * seed + i };
          return [`rings ${100 * height} %`, { artefacts }] as const;
        }),
        ...[0.1, 0.4].map((height, i) => {
          const artefacts = { streaks: { height, count: 10 }, seed: 10 * seed + 5 + i };
          return [`streaks ${100 * height} %`, { artefacts }] as const;
        }),
      ]),
  },
  {
    title: 'Flaws in voxels of 1:3',
    stands: 'The same, in voxels three times as long along one axis.',
    argument: 'The longest edge sets blur and detection limit along its axis.',
    listCases: (seed) =>
      flawed(
        { ...mixed, radii: [3, 5], count: 5 },
        seed + 0.8,
        numbered(2, { dimensions: [64, 64, 22], voxelSizeMm: [1, 1, 3] }),
      ),
  },
];
