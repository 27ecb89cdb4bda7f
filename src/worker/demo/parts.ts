/** The parts of the demo: names, scans, and analyses. */

import type { z } from 'zod';
import { autoAlign } from '#contract/analyses/auto-align.ts';
import { surfaceMesh } from '#contract/analyses/create-mesh.ts';
import { texturedMesh } from '#contract/analyses/create-textured-mesh.ts';
import { decomposeMeshCompare } from '#contract/analyses/decompose-mesh-compare.ts';
import type { Gate } from '#contract/analyses/gates.ts';
import { integrity } from '#contract/analyses/integrity.ts';
import { meshCompare } from '#contract/analyses/mesh-compare.ts';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { reconstructionPreview } from '#contract/analyses/reconstruction-preview.ts';
import type { StepKind } from '#contract/analyses/steps.ts';
import { wallThickness } from '#contract/analyses/wall-thickness.ts';
import type { DispositionInput } from '#contract/shapes/disposition.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { Layer } from '#kernels/reconstruction/painted-solid.ts';
import { bladeLayers } from './blade.ts';
import {
  ballLayers,
  bracketLayers,
  connectorLayers,
  housingCad,
  housingLayers,
  latticeLayers,
  rodLayers,
  wedgeLayers,
} from './part-layers.ts';

export interface DemoPipeline {
  steps: RecipeStep[];
  gates: Gate[];
}

export interface DemoPart {
  /** recorded once the project exists; never changes */
  key: string;
  name: string;
  description: string;
  partNumber: string;
  serialNumber: string;
  lot: string;
  tags: string[];
  workspace: 'Inspection' | 'Process development';
  layers: Layer[];
  voxelSizeMm: number;
  seed: number;
  /** the nominal shape, if it is uploaded with the scan */
  cad?: { fileName: string; mesh: TriangleMesh };
  keepRadiographs?: boolean;
  /** analyses that run once the scan is imported */
  analyses?: {
    operation: StepKind;
    parameters: Record<string, unknown>;
    /** uses the nominal shape as the reference */
    againstCad?: boolean;
  }[];
  /** a recipe of the organization that runs once the scan is imported */
  recipe?: { name: string; description: string; steps: RecipeStep[]; gates: Gate[] };
  /** a recipe that is not released yet */
  draft?: DemoPart['recipe'];
  /** disposition of the part, recorded after it was measured */
  disposition?: z.infer<typeof DispositionInput>;
  /** pipeline of analyses and gates that runs once the scan is imported */
  pipeline?: DemoPipeline;
}

/** Gates on the measures of one step of a recipe. */
const makeGatesOn =
  <Declaration extends { measures: readonly { path: string }[] }>(step: string, _: Declaration) =>
  (
    key: string,
    path: Declaration['measures'][number]['path'],
    limit: Omit<Gate, 'key' | 'measure'>,
  ): Gate => ({ key, measure: `${step}.${path}`, ...limit });
const gateWalls = makeGatesOn('walls', wallThickness);
const gatePores = makeGatesOn('pores', integrity);

/** In the order in which they are created: the slowest to analyse first. */
export const demoParts: DemoPart[] = [
  {
    key: 'housing',
    name: 'Valve housing, first article',
    description:
      'Die-cast housing with walls of 0.7, 1.1 and 1.6 mm. The nominal shape lies beside the scan; the core has slipped by 0.15 mm.',
    partNumber: 'VH-210-04',
    serialNumber: 'VH26-00417',
    lot: 'L-2611',
    tags: ['casting', 'first article', 'aluminium'],
    workspace: 'Inspection',
    layers: housingLayers,
    voxelSizeMm: 0.1,
    seed: 210,
    cad: { fileName: 'VH-210-04 rev C.stl', mesh: housingCad() },
    analyses: [
      { operation: surfaceMesh.key, parameters: {} },
      { operation: wallThickness.key, parameters: { minThicknessMm: 0.6 } },
      // The housing has two similar ends: the alignment starts from its current position, so that the shifted core is
      // found on its own side.
      { operation: autoAlign.key, parameters: { initial: 'none' }, againstCad: true },
      { operation: meshCompare.key, parameters: { alignment: 'none' }, againstCad: true },
      {
        operation: decomposeMeshCompare.key,
        parameters: { alignment: 'none', groupBy: 'region' },
        againstCad: true,
      },
    ],
    disposition: {
      decision: 'rework',
      reason: 'The core has slipped. Set it again and scan the next casting; this one stays as a sample.',
    },
    draft: {
      name: 'Housing, first article',
      description: 'Not released yet: its limits are still being agreed with the foundry.',
      steps: [
        { key: 'walls', operation: wallThickness.key, parameters: { minThicknessMm: 0.6 }, needs: [] },
        { key: 'pores', operation: integrity.key, parameters: {}, needs: [] },
      ],
      gates: [
        gateWalls('thinnest-wall', 'minMm', { comparison: '>=', limit: 0.6, unit: 'mm', guardBand: 0.02 }),
        gatePores('porosity', 'porosity', { comparison: '<=', limit: 1, unit: '%', guardBand: 0.1 }),
      ],
    },
  },
  {
    key: 'rod',
    name: 'Cast rod with porosity',
    description:
      'Sample of a casting trial: 42 gas pores of 0.16 to 0.66 mm radius, and shrinkage where the melt froze last.',
    partNumber: 'GR-066',
    serialNumber: 'GR26-0031',
    lot: 'L-2604',
    tags: ['casting', 'porosity', 'aluminium'],
    workspace: 'Process development',
    layers: rodLayers(66),
    voxelSizeMm: 0.1,
    seed: 66,
    recipe: {
      name: 'Casting porosity',
      description: 'Gas pores of cast samples: how much of the part they are, and how large the largest is.',
      steps: [
        { key: 'mesh', operation: surfaceMesh.key, parameters: {}, needs: [] },
        { key: 'pores', operation: integrity.key, parameters: {}, needs: [] },
      ],
      gates: [
        gatePores('porosity', 'porosity', { comparison: '<=', limit: 5, unit: '%', guardBand: 0.1 }),
        gatePores('largest-pore', 'largestVolumeMm3', {
          comparison: '<=',
          limit: 1.5,
          unit: 'mm³',
          guardBand: 0.05,
        }),
        gatePores('material', 'materialVolumeMm3', {
          comparison: '>=',
          limit: 240,
          unit: 'mm³',
          guardBand: 2,
        }),
      ],
    },
  },
  {
    key: 'blade',
    name: 'Turbine blade, cooled',
    description:
      'Investment casting with a fir-tree root and cooling channels of 0.45, 0.50 and 0.35 mm; the core of the middle one has shifted by 0.20 mm.',
    partNumber: 'TB-074-02',
    serialNumber: 'TB26-0113',
    lot: 'L-2613',
    tags: ['casting', 'nickel'],
    workspace: 'Process development',
    layers: bladeLayers(),
    voxelSizeMm: 0.1,
    seed: 74,
    analyses: [
      { operation: texturedMesh.key, parameters: { textureSize: 1024 } },
      { operation: wallThickness.key, parameters: { minThicknessMm: 0.2 } },
    ],
  },
  {
    key: 'bracket',
    name: 'Sensor bracket',
    description:
      'Milled bracket with a rib, two counterbored holes and one bore of 2 mm. Its radiographs lie beside the scan and are reconstructed here.',
    partNumber: 'SBR-118-01',
    serialNumber: 'SBR26-0208',
    lot: 'L-2609',
    tags: ['machined', 'aluminium'],
    workspace: 'Process development',
    layers: bracketLayers(),
    voxelSizeMm: 0.1,
    seed: 118,
    keepRadiographs: true,
    analyses: [{ operation: reconstructionPreview.key, parameters: { maxDimension: 256 } }],
  },
  {
    key: 'connector',
    name: 'Connector, eight pins',
    description: 'Metal pins in a moulded housing; one pin was not pushed home.',
    partNumber: 'CN-408',
    serialNumber: 'CN26-0552',
    lot: 'L-2612',
    tags: ['moulded', 'multi-material'],
    workspace: 'Inspection',
    layers: connectorLayers(),
    voxelSizeMm: 0.1,
    seed: 408,
    analyses: [{ operation: surfaceMesh.key, parameters: { materials: 'auto' } }],
  },
  {
    key: 'lattice',
    name: 'Lattice, printed',
    description: 'Struts of 0.56 mm between two plates; one strut is broken.',
    partNumber: 'LT-016',
    serialNumber: 'LT26-0007',
    lot: 'L-2608',
    tags: ['additive', 'titanium'],
    workspace: 'Process development',
    layers: latticeLayers(),
    voxelSizeMm: 0.1,
    seed: 16,
    analyses: [
      { operation: surfaceMesh.key, parameters: {} },
      { operation: wallThickness.key, parameters: { minThicknessMm: 0.4 } },
    ],
  },
  {
    key: 'ball',
    name: 'Steel ball in a block',
    description: 'Reference for form and scale: a ball of 4.000 mm in polymer.',
    partNumber: 'REF-SB-4',
    serialNumber: 'SB-0011',
    lot: 'L-2501',
    tags: ['reference', 'multi-material'],
    workspace: 'Inspection',
    layers: ballLayers(),
    voxelSizeMm: 0.1,
    seed: 4,
    analyses: [{ operation: surfaceMesh.key, parameters: { materials: 'auto' } }],
  },
  {
    key: 'wedge',
    name: 'Step wedge 1–5 mm',
    description: 'Reference for wall thickness: five steps of 1, 2, 3, 4 and 5 mm.',
    partNumber: 'REF-SW-5',
    serialNumber: 'SW-0002',
    lot: 'L-2501',
    tags: ['reference', 'titanium'],
    workspace: 'Inspection',
    layers: wedgeLayers(),
    voxelSizeMm: 0.1,
    seed: 5,
    pipeline: {
      steps: [
        { key: 'mesh', operation: surfaceMesh.key, parameters: {}, needs: [] },
        { key: 'walls', operation: wallThickness.key, parameters: { minThicknessMm: 0.9 }, needs: ['mesh'] },
      ],
      gates: [gateWalls('mean-wall', 'meanMm', { comparison: '>=', limit: 1, unit: 'mm', guardBand: 0.02 })],
    },
  },
];
