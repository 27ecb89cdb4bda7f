/** Defines a family of scans, and builds its cases. */
import type { StepKind } from '#contract/analyses/steps.ts';
import type { Vector3, Volume } from '#kernels/grid/volume.ts';
import type { Radiographs } from '#kernels/reconstruction/plan.ts';
import type { Artefacts } from '#kernels/testing/families/artefacts.ts';
import { type Part, plainPart, porousPart, randomPart } from '#kernels/testing/families/bodies.ts';
import type { Impairments } from '#kernels/testing/families/impair.ts';
import type { RenderedPart } from '#kernels/testing/families/render-part.ts';
import type { PolychromaticScan } from '#kernels/testing/polychromatic.ts';

/** Simulated radiographs, and the parameters of their reconstruction. */
export interface SimulatedScan {
  scan: PolychromaticScan;
  parameters: object;
  /** what a detector or an export did to the radiographs */
  process?: ((radiographs: Radiographs) => Promise<Radiographs>) | undefined;
}

export interface FamilyCase {
  name: string;
  part: Part;
  dimensions: Vector3;
  voxelSizeMm: Vector3;
  /** standard deviation of the blur; `blurAcrossMm` along z, where it differs */
  blurMm: number;
  blurAcrossMm?: number;
  impairments: Impairments;
  /** rings and streaks as in single scans */
  artefacts?: Artefacts;
  /** processing applied to the scan after its reconstruction */
  process?: (volume: Volume) => Volume;
  /** parameters of the integrity analysis that differ from its defaults */
  parameters?: object;
  /** the grid cuts off a piece of the part */
  isCut?: boolean;
  /** radiographs and their reconstruction, instead of a rendering */
  simulated?: SimulatedScan;
}

export interface Family {
  title: string;
  /** what the family represents, and why its numbers can be no better than their bounds; one sentence each */
  stands: string;
  argument: string;
  /** good scans: a warning on any of their numbers is unnecessary */
  isGood?: boolean;
  /** @returns the same cases for the same seed */
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

/** Walls of one thickness, in several poses. */
export const walls = (make: (seed: number) => Part, name: string, seed: number, count = 1): FamilyCase[] =>
  Array.from({ length: count }, (_, i) => scan(name, make(100 * seed + i), {}, 100 * seed + i));

export interface Expected {
  kind: StepKind;
  path: string;
  truth: number;
  /** largest absolute error that counts as right */
  bound: number;
}

export type Truth = Pick<RenderedPart, 'volumeMm3' | 'areaMm2' | 'voxelSizeMm'> & Partial<RenderedPart>;
