import type { z } from 'zod';
import { reconstructionPreview } from '#contract/analyses/reconstruction-preview.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import { placeInPart } from '#kernels/reconstruction/description.ts';
import { type ReconstructionFacts, reconstruct } from '#kernels/reconstruction/reconstruct.ts';
import { versionsOf } from './algorithms.ts';
import { implementAnalysis, type RadiographsInput, type VolumeSink } from './analysis.ts';

/** Counting grey values comes after the volume is there. */
const reconstructing = 0.9;

/** A volume from radiographs by filtered back-projection, at preview resolution, in 1/mm. */
export const reconstructionPreviewAnalysis = implementAnalysis(
  reconstructionPreview,
  async (parameters, inputs, context) => {
    const radiographs = await context.radiographs(inputs.sourceDataObjectId);
    const { axisFrame } = radiographs;
    const { pool, signal } = context;
    let sink: VolumeSink | undefined;
    let grid: Grid | undefined;
    const facts = await reconstruct(
      radiographs,
      pool,
      {
        maxDimension: parameters.maxDimension,
        filter: parameters.filter,
        centerOfRotationMm: parameters.centerOfRotationMm,
        beamHardening: parameters.beamHardening,
        ringCorrection: parameters.ringCorrection,
        signal,
        progress: (fraction, stage) => context.progress(reconstructing * fraction, stage),
      },
      async ({ grid: { dimensions, voxelSizeMm, originMm } }) => {
        grid = {
          dimensions,
          voxelSizeMm: [voxelSizeMm, voxelSizeMm, voxelSizeMm],
          originMm: placeInPart(originMm, axisFrame),
          directions: axisFrame.directions,
        };
        const volume = await context.newVolume(grid, 'float32');
        sink = volume;
        return (planes) => volume.append(planes);
      },
    );
    if (!sink || !grid) throw new Error('the reconstruction has not begun a volume');
    const volume = await sink.finish((fraction) =>
      context.progress(reconstructing + (1 - reconstructing) * fraction, 'Counting grey values'),
    );
    return {
      dataObjects: [
        {
          kind: reconstructionPreview.makes,
          name: 'Reconstruction preview',
          metadata: {
            ...volume.metadata,
            unit: '1/mm',
            reconstruction: reconstructionMetadata(radiographs, facts, parameters),
          },
          files: [],
          volume,
        },
      ],
      warnings: facts.warnings.map((warning) => ({ ...warning, measures: [] })),
      algorithms: versionsOf(
        'filteredBackProjection',
        ...(parameters.centerOfRotationMm === undefined ? (['centerOfRotation'] as const) : []),
        ...(parameters.ringCorrection ? (['ringCorrection'] as const) : []),
      ),
    };
  },
);

function reconstructionMetadata(
  { geometry, flat, dark }: RadiographsInput,
  facts: ReconstructionFacts,
  { filter, beamHardening, ringCorrection }: z.infer<typeof reconstructionPreview.parameters>,
) {
  const isParallel = geometry.beam === 'parallel';
  return {
    beam: geometry.beam,
    projections: geometry.anglesDeg.length,
    detector: [geometry.columns, geometry.rows] satisfies [number, number],
    pixelSizeMm: geometry.pixelSizeMm,
    sourceToAxisMm: isParallel ? null : geometry.sourceToAxisMm,
    sourceToDetectorMm: isParallel ? null : geometry.sourceToDetectorMm,
    coveredAngleDeg: facts.cover.rangeDeg,
    shortScan: !facts.cover.fullTurn && !isParallel,
    centerOfRotationMm: facts.centerOfRotationMm,
    centerColumn: facts.centerColumn,
    centerFoundBy: facts.howFound,
    centerMismatch: facts.mismatch,
    filter,
    binning: facts.binning,
    beamHardening: beamHardening ?? 0,
    ringCorrection,
    flatField: flat !== undefined,
    darkField: dark !== undefined,
    freeBeamLevel: facts.flatLevel,
    fieldOfViewRadiusMm: facts.grid.radiusMm,
  };
}
