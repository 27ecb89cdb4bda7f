/** Families of seeded parts in good scans; no method was fitted to them. */
import type { Vector3 } from '#kernels/grid/volume.ts';
import {
  compoundPart,
  fins,
  gyroid,
  lattice,
  plainPart,
  plate,
  porousPart,
  randomPart,
  taper,
  thread,
} from '#kernels/testing/families/bodies.ts';
import { type Family, scan, walls } from './family.ts';

export const partFamilies: readonly Family[] = [
  {
    title: 'Plain parts',
    stands: 'Balls, rings, boxes and bored cylinders with walls of 6 voxels and more.',
    argument: 'Only the level, noise and rounded edges.',
    isGood: true,
    listCases: (seed) =>
      Array.from({ length: 6 }, (_, i) => {
        const impairments = { contrastToNoise: i % 2 === 0 ? 20 : 12 };
        return scan(`number ${i + 1}`, plainPart(50 * seed + i), { impairments }, seed + i);
      }),
  },
  {
    title: 'Random parts',
    stands: 'Blocks and cylinders with boxes and balls added or cut out, and drilled holes.',
    argument:
      'The level and noise; the volume is counted in the rendering, in steps of a twenty-seventh of a voxel.',
    isGood: true,
    listCases: (seed) =>
      Array.from({ length: 8 }, (_, i) => {
        const impairments = { contrastToNoise: [40, 20, 12][i % 3] ?? 20 };
        return scan(`number ${i + 1}`, randomPart(70 * seed + i), { impairments }, seed + i);
      }),
  },
  {
    title: 'Porous parts',
    stands: 'Cylinders with up to six ball-shaped pores of radius 3 to 6.',
    argument:
      'A pore’s grey values spread 2.3 voxels beyond it, so an error of 2 % of the contrast counts over that volume.',
    isGood: true,
    listCases: (seed) =>
      Array.from({ length: 6 }, (_, i) => {
        const impairments = { contrastToNoise: i % 2 === 0 ? 20 : 12 };
        return scan(`number ${i + 1}`, porousPart(30 * seed + i), { impairments }, seed + i);
      }),
  },
  {
    title: 'Small pores',
    stands: 'The same, with pores of radius 1.2 to 2.5.',
    argument: 'As before; pores below the detection limit may be found or not.',
    listCases: (seed) =>
      Array.from({ length: 3 }, (_, i) =>
        scan(`radii 1.2 to 2.5, number ${i + 1}`, porousPart(40 * seed + i, [1.2, 2.5], 4), {}, seed + i),
      ),
  },
  {
    title: 'Plates',
    stands: 'Plates of 1 to 5 voxels at any offset and tilt.',
    argument:
      'Blur lowers the middle of a wall thinner than 2.5 standard deviations of the blur: only the product of contrast and thickness is known there.',
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
    stands: 'Plates of 1 to 5 voxels whose edges are as sharp as voxels can show.',
    argument: 'The only remaining blur is the length of a voxel.',
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
    stands: 'Three fins of 2 to 6 voxels on a base.',
    argument: 'The base shows the material’s grey value, so only the level limits the fins.',
    listCases: (seed) => [2, 3, 4.5, 6].flatMap((t) => walls((own) => fins(t, own), `${t} voxels`, seed + t)),
  },
  {
    title: 'Tapers',
    stands: 'Walls that taper from 14 voxels to 6, 3 and 1.',
    argument: 'The level, which the thick end shows.',
    listCases: (seed) =>
      [1, 3, 6].flatMap((t) => walls((own) => taper(14, t, own), `14 to ${t} voxels`, seed + t)),
  },
  {
    title: 'Lattices',
    stands: 'Round struts of radius 1.2 to 3.4.',
    argument:
      'A strut has a surface on all sides: an error of the level of 2 % changes its volume by twice as much as a plate’s.',
    listCases: (seed) =>
      [1.2, 1.8, 2.6, 3.4].flatMap((r) =>
        walls((own) => lattice(r, 15, own), `struts of radius ${r}`, seed + r),
      ),
  },
  {
    title: 'Gyroids',
    stands: 'Sheets of 2 to 5.5 voxels.',
    argument:
      'As for plates; the sheets are curved, which shifts a surface at half height by blur² × curvature.',
    listCases: (seed) =>
      [2, 3, 4, 5.5].flatMap((t) => walls((own) => gyroid(t, 26, own), `sheet of ${t} voxels`, seed + t)),
  },
  {
    title: 'Threads',
    stands: 'Bolts with a triangular thread.',
    argument: 'Crests and roots are rounded by blur; volume is counted in the rendering.',
    listCases: (seed) =>
      [5, 8, 11].flatMap((p) => walls((own) => thread(p, 0.6 * p, own), `pitch ${p}`, seed + p)),
  },
  {
    title: 'Two and three materials',
    stands: 'Blocks of a light material around denser ones, down to 13 % of the contrast.',
    argument: 'The level is that of the outermost material, so its own contrast to noise counts.',
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
    stands: 'Parts that are only partly inside the scan.',
    argument:
      'The scan does not show the rest of the part. The truth is that of the whole part, so results have to be marked.',
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
];
