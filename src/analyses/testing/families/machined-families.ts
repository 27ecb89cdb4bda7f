/** Families of turned, milled, bent and packed parts, and of positions in the scan. */
import { porousPart, randomPart } from '#kernels/testing/families/bodies.ts';
import {
  foilStack,
  gear,
  hollowBox,
  honeycomb,
  nearBorder,
  pairOfMaterials,
  pairOfParts,
  pinInRing,
  pipe,
  sealedFlanges,
  sealedHousing,
  sizedPart,
  skinnedBlock,
  stackedBlocks,
} from '#kernels/testing/families/machined-parts.ts';
import { type Family, scan, walls } from './family.ts';

export const machinedFamilies: readonly Family[] = [
  {
    title: 'Gears',
    stands: 'Straight teeth, 9 to 20 of them, and a bore.',
    argument: 'Teeth are rounded by blur; volume is counted in the rendering.',
    listCases: (seed) =>
      [9, 14, 20].flatMap((teeth) =>
        walls((own) => gear(teeth, 60 / teeth, own), `${teeth} teeth`, seed + teeth),
      ),
  },
  {
    title: 'Honeycombs',
    stands: 'Channels between walls of 1.5 to 4 voxels in a round frame.',
    argument: 'As for plates; the frame of 3 voxels does not show the material’s grey value either.',
    listCases: (seed) =>
      [1.5, 2.5, 4].flatMap((wall) =>
        walls((own) => honeycomb(wall, 9, own), `walls of ${wall}`, seed + wall),
      ),
  },
  {
    title: 'Hollow boxes',
    stands: 'Closed boxes with walls of 1.5 to 7 voxels.',
    argument: 'As for plates.',
    listCases: (seed) =>
      [1.5, 2.5, 3.5, 5, 7].flatMap((wall) =>
        [true, false].flatMap((isAlong) =>
          walls(
            (own) => hollowBox(wall, own, isAlong),
            `walls of ${wall}, ${isAlong ? 'along the axes' : 'tilted'}`,
            seed + wall,
          ),
        ),
      ),
  },
  {
    title: 'Pipes',
    stands: 'Open pipes with walls of 1.5 to 5 voxels.',
    argument: 'As for plates.',
    listCases: (seed) =>
      [1.5, 2.5, 3.5, 5].flatMap((wall) => walls((own) => pipe(wall, own), `wall of ${wall}`, seed + wall)),
  },
  {
    title: 'Two parts in one scan',
    stands: 'A block beside a ball, from half a voxel to 8 voxels apart.',
    argument:
      'Where blur closes the gap, half of its volume counts as material: the bound includes the volume of a gap of half a voxel.',
    listCases: (seed) =>
      [0.5, 2, 8].flatMap((gap) => walls((own) => pairOfParts(gap, own), `${gap} voxels apart`, seed + gap)),
  },
  {
    title: 'Parts of two materials',
    stands: 'A block beside a ball of a third to thrice its grey value.',
    argument:
      'As for two parts: each has its own contrast, and surfaces at the level of the other part have to be marked.',
    listCases: (seed) =>
      [0.3, 0.5, 0.7, 3].flatMap((share) =>
        walls((own) => pairOfMaterials(share, own), `ball of ${100 * share} %`, seed + share),
      ),
  },
  {
    title: 'Narrow gaps',
    stands: 'Pins in rings and blocks on blocks, 0.3 to 2 voxels apart.',
    argument: 'As for plain parts: a gap is not part of them.',
    listCases: (seed) =>
      [0.3, 0.45, 0.6, 1, 1.4, 2].flatMap((gap) => [
        ...walls((own) => pinInRing(gap, own), `pin, ${gap} voxels`, seed + gap),
        ...walls((own) => stackedBlocks(gap, own), `blocks, ${gap} voxels`, seed + gap),
      ]),
  },
  {
    title: 'Stacks of foils',
    stands: 'Foils of 1.2 to 2.5 voxels with gaps of 1 to 1.4 voxels between them.',
    argument: 'As for plates, or the result states that the gaps are not resolved.',
    listCases: (seed) =>
      (
        [
          [1.2, 2.2],
          [1.4, 2.4],
          [2, 3.4],
          [2.5, 3.5],
        ] as const
      ).flatMap(([thickness, pitch]) =>
        walls(
          (own) => foilStack(thickness, pitch, own),
          `${thickness} voxels, ${pitch} apart`,
          seed + thickness,
        ),
      ),
  },
  {
    title: 'Dense skins',
    stands: 'Blocks of a light material under 1.5 to 6 voxels of one 1.25 to 4 times as dense.',
    argument: 'As for plain parts: the skin’s own level is known.',
    listCases: (seed) =>
      (
        [
          [1.5, 0.5],
          [3, 0.25],
          [3, 0.8],
          [6, 0.4],
        ] as const
      ).flatMap(([skin, share]) =>
        walls(
          (own) => skinnedBlock(skin, share, own),
          `${skin} voxels, core of ${100 * share} %`,
          seed + skin + share,
        ),
      ),
  },
  {
    title: 'Light layers',
    stands: 'Blocks of a material 1.3 to 4 times as dense as a layer of 1 to 4 voxels around them.',
    argument: 'As for plain parts: the result includes the layer, or states that it may be missing.',
    listCases: (seed) =>
      (
        [
          [1, 2],
          [1.3, 1.3],
          [1.5, 2],
          [1.5, 3],
          [1.5, 4],
          [2, 2],
          [2.5, 3],
          [3, 1.5],
          [4, 2],
        ] as const
      ).flatMap(([layer, core]) =>
        walls(
          (own) => skinnedBlock(layer, core, own),
          `${layer} voxels, core of ${100 * core} %`,
          seed + layer + core,
        ),
      ),
  },
  {
    title: 'Seals and gaskets',
    stands: 'Gaskets between flanges and seals in a groove, of 12 to 25 % of the part’s grey value.',
    argument: 'As for plain parts: the result includes them, or states that light material may be missing.',
    listCases: (seed) =>
      [0.12, 0.25].flatMap((share) => [
        ...walls((own) => sealedFlanges(share, own), `gasket of ${100 * share} %`, seed + share),
        ...walls((own) => sealedHousing(share, own), `seal of ${100 * share} %`, seed + share),
      ]),
  },
  {
    title: 'Parts at the border',
    stands: 'Boxes that end between 3 voxels before the border of the scan and 2 beyond it.',
    argument:
      'A face needs half a blurred edge of air, 1.5 voxels, beyond it; with less the part is cut or has to be marked.',
    listCases: (seed) =>
      [3, 1.5, 0.7, 0, -0.4, -2].map((distance, i) =>
        scan(
          `${distance} voxels from the border`,
          nearBorder(distance, 64, 31 * seed + i),
          distance < 0 ? { isCut: true } : {},
          seed + i,
        ),
      ),
  },
  {
    title: 'Tiny and huge parts',
    stands: 'Balls and boxes of 5 to 12 voxels, and some that fill the scan except for a border of 2 voxels.',
    argument: 'A ball of 5 voxels is all edge: its volume changes by 3 × 2 % × √(2π) × blur / radius.',
    listCases: (seed) =>
      [5, 8, 12, 59].flatMap((across) =>
        [true, false].map((isRound, i) =>
          scan(
            `${isRound ? 'ball' : 'box'} of ${across} voxels`,
            sizedPart(across, isRound, 17 * seed + across + i),
            across < 20 ? { dimensions: [48, 48, 48] } : {},
            seed + i,
          ),
        ),
      ),
  },
  {
    title: 'Blur with noise',
    stands:
      'Random and porous parts with edges of 1.2 voxels at a contrast of 5 times the noise, and of 0.3 at 3.5.',
    argument: 'The level and noise, each at its own blur.',
    listCases: (seed) =>
      [randomPart, porousPart].flatMap((make, b) =>
        (
          [
            [1.2, 5],
            [0.3, 3.5],
          ] as const
        ).map(([blurMm, contrastToNoise], i) =>
          scan(
            `${make.name}, blur ${blurMm}, ${contrastToNoise}`,
            make(23 * seed + 2 * b + i),
            { blurMm, impairments: { contrastToNoise } },
            seed + i,
          ),
        ),
      ),
  },
];
