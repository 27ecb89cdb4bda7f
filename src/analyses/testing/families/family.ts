/** What a family of scans is, and how its cases are put together. */
import type { StepKind } from '#contract/analyses/steps.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import type { Artefacts } from '#kernels/testing/families/artefacts.ts';
import { type Part, plainPart, porousPart, randomPart } from '#kernels/testing/families/bodies.ts';
import type { Impairments } from '#kernels/testing/families/impair.ts';
import type { RenderedPart } from '#kernels/testing/families/render-part.ts';
import type { PolychromaticScan } from '#kernels/testing/polychromatic.ts';

/** Radiographs that are simulated, and the parameters of their reconstruction. */
export interface SimulatedScan {
  scan: PolychromaticScan;
  parameters: object;
}

export interface FamilyCase {
  name: string;
  part: Part;
  dimensions: Vector3;
  voxelSizeMm: Vector3;
  /** standard deviation; `blurAcrossMm` along z, where it is another */
  blurMm: number;
  blurAcrossMm?: number;
  impairments: Impairments;
  /** rings and streaks as single scans have them */
  artefacts?: Artefacts;
  /** what became of the scan after it was reconstructed */
  process?: (volume: Volume) => Volume;
  /** of the integrity analysis, beside its defaults */
  parameters?: object;
  /** the grid leaves a piece of the part out */
  isCut?: boolean;
  /** instead of a rendering: radiographs and their reconstruction */
  simulated?: SimulatedScan;
}

export interface Family {
  title: string;
  /** what it stands for, and why its numbers can be no better than their bounds; a sentence each */
  stands: string;
  argument: string;
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
export const scan = (
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
export const onBodies = (
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
export const walls = (make: (seed: number) => Part, name: string, seed: number, count = 1): FamilyCase[] =>
  Array.from({ length: count }, (_, i) => scan(name, make(100 * seed + i), {}, 100 * seed + i));

export interface Expected {
  kind: StepKind;
  path: string;
  truth: number;
  /** amount of the error up to which it is right */
  bound: number;
}

export type Truth = Pick<RenderedPart, 'volumeMm3' | 'areaMm2' | 'voxelSizeMm'> & Partial<RenderedPart>;
