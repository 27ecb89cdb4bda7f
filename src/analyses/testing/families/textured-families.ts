/** Families of parts of non-uniform material. */
import {
  filledCylinder,
  grainedBlock,
  openFoam,
  sinteredCylinder,
  wovenBlock,
} from '#kernels/testing/families/textured-parts.ts';
import { type Family, scan, walls } from './family.ts';

export const texturedFamilies: readonly Family[] = [
  {
    title: 'Textured materials',
    stands:
      'Wood with annual rings of 4 to 9 voxels, woven laminates with layers of 4 to 6, along the axes and tilted, and filled resins.',
    argument:
      'As for plain parts. A face along a layer that is lighter than the mean has its own, unknown level: there the interval has to contain the truth.',
    listCases: (seed) => [
      ...[true, false].flatMap((isAlong) => {
        const pose = isAlong ? 'along the axes' : 'tilted';
        return [
          ...walls((own) => grainedBlock(own, isAlong), `wood, ${pose}`, seed, 2),
          ...walls((own) => wovenBlock(own, isAlong), `laminate, ${pose}`, seed, 2),
        ].map((each, i) => ({ ...each, name: `${each.name}, ${(i % 2) + 1}` }));
      }),
      ...[1, 2].map((n) => scan(`filled resin, ${n}`, filledCylinder(41 * seed + n), {}, seed + n)),
    ],
  },
  {
    title: 'Sintered and foamed',
    stands: 'Balls of 7 to 11 voxels that have grown together, and open foams with cells of 10 to 15.',
    argument:
      'A strut has a surface on all sides; where two balls meet, blur fills the gap beside their neck.',
    listCases: (seed) =>
      [1, 2].flatMap((n) => [
        scan(`sintered, ${n}`, sinteredCylinder(43 * seed + n), {}, seed + n),
        scan(`open foam, ${n}`, openFoam(43 * seed + n), {}, seed + n),
      ]),
  },
];
