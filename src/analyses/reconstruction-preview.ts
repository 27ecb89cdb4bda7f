import type { z } from 'zod';
import { reconstructionPreview } from '#contract/analyses/reconstruction-preview.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import { placeInPart } from '#kernels/reconstruction/description.ts';
import { estimateErosion } from '#kernels/reconstruction/eroded-edges.ts';
import { estimateHardening, type Hardening } from '#kernels/reconstruction/estimate-hardening.ts';
import type { ReconstructionFacts } from '#kernels/reconstruction/plan.ts';
import { reconstruct } from '#kernels/reconstruction/reconstruct.ts';
import { listVersions } from './algorithms.ts';
import { implementAnalysis, type RadiographsInput, type VolumeSink } from './analysis.ts';

/** Share of the progress at which the volume is finished; counting grey values follows. */
const reconstructing = 0.9;

/** Reconstructs a volume from radiographs by filtered back-projection at preview resolution, in 1/mm. */
export const reconstructionPreviewAnalysis = implementAnalysis(
  reconstructionPreview,
  async (parameters, inputs, context) => {
    const radiographs = await context.radiographs(inputs.sourceDataObjectId);
    const { axisFrame } = radiographs;
    const { pool } = context;
    let sink: VolumeSink | undefined;
    let grid: Grid | undefined;
    const { maxDimension, filter, centerOfRotationMm, ringCorrection, scatterShare } = parameters;
    const options = { maxDimension, filter, centerOfRotationMm, ringCorrection, scatterShare };
    const isHardeningSought = parameters.findBeamHardening && parameters.beamHardening === undefined;
    if (isHardeningSought) context.progress(0, 'Finding the beam hardening');
    const hardening = isHardeningSought ? await estimateHardening(radiographs, pool, options) : undefined;
    const beamHardening = parameters.beamHardening ?? hardening?.beamHardening ?? 0;
    const facts = await reconstruct(
      radiographs,
      pool,
      {
        ...options,
        beamHardening,
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
    const blurVoxels = volume.metadata.quality?.blurVoxels ?? null;
    const edgesInwardVoxels = estimateErosion(facts.densestIntegral, beamHardening, blurVoxels ?? likelyBlur);
    return {
      dataObjects: [
        {
          kind: reconstructionPreview.makes,
          name: 'Reconstruction preview',
          metadata: {
            ...volume.metadata,
            unit: '1/mm',
            reconstruction: {
              ...reconstructionMetadata(radiographs, facts, parameters),
              ...hardeningMetadata(beamHardening, hardening),
              edgesInwardVoxels,
            },
          },
          files: [],
          volume,
        },
      ],
      warnings: [
        ...facts.warnings,
        ...listHardeningDoubts(hardening),
        ...listCorrectionDoubts(radiographs, facts, beamHardening, ringCorrection),
        ...listEdgeDoubts(edgesInwardVoxels, blurVoxels),
      ].map((warning) => ({
        ...warning,
        measures: [],
      })),
      algorithms: listVersions(
        'filteredBackProjection',
        ...(parameters.centerOfRotationMm === undefined ? (['centerOfRotation'] as const) : []),
        ...(hardening ? (['beamHardening'] as const) : []),
        ...(facts.ringLevel !== null ? (['ringCorrection'] as const) : []),
      ),
    };
  },
);

const hardeningMetadata = (beamHardening: number, found: Hardening | undefined) => ({
  beamHardening,
  hardeningFound:
    found && found.doubt === null
      ? { unevennessBefore: found.unevenness[0], unevennessAfter: found.unevenness[1] }
      : null,
});

const listHardeningDoubts = (found: Hardening | undefined) =>
  found && found.doubt !== null
    ? [
        {
          code: 'HARDENING_NOT_FOUND' as const,
          message: `Beam hardening was not corrected: ${found.doubt}.`,
        },
      ]
    : [];

/** Line integral above which the beam of a tube hardens enough to move surfaces: seven tenths are absorbed. */
const hardeningFrom = 1.2;

const formatError = (share: number) => `${(100 * share).toPrecision(2)} %`;

/** Corrections that would be needed, and side effects of those that were applied. */
function listCorrectionDoubts(
  { geometry }: RadiographsInput,
  { densestIntegral, ringLevel }: ReconstructionFacts,
  beamHardening: number,
  ringCorrection: boolean,
) {
  // Parallel beams come from synchrotrons and have a single energy.
  const isLeft = geometry.beam !== 'parallel' && beamHardening === 0 && densestIntegral > hardeningFrom;
  const left = {
    code: 'HARDENING_LEFT' as const,
    message: `The part absorbs up to ${(100 * (1 - Math.exp(-densestIntegral))).toFixed(0)} % of the beam, and no beam hardening was corrected. If the beam had a spectrum, walls come out too thick; correct it when you run this again.`,
  };
  const removed = {
    code: 'RINGS_REMOVED' as const,
    message: `Rings were removed: pixels deviated by ${formatError(ringLevel ?? 0)} of their count. About a quarter of that remains, and details as fine as a pixel may deviate as much.`,
  };
  const notFound = {
    code: 'RINGS_NOT_FOUND' as const,
    message:
      'No rings were removed: the errors of the pixels do not exceed the noise, or the detector has too few pixels to distinguish them from the part.',
  };
  const rings = ringLevel === null ? notFound : removed;
  return [...(isLeft ? [left] : []), ...(ringCorrection ? [rings] : [])];
}

/** Erosion in voxels from which it is reported, and the blur assumed when the judge could not measure it. */
const minErosion = 0.03;
const likelyBlur = 0.5;

function listEdgeDoubts(erosion: number, blurVoxels: number | null) {
  if (erosion < minErosion) return [];
  const blur = blurVoxels === null ? 'by an unknown amount' : `by ${blurVoxels.toFixed(1)} voxels`;
  return [
    {
      code: 'EDGES_INWARD' as const,
      message: `The edges are blurred ${blur}. With an absorption as strong as this part’s, blur in the radiographs moves them about ${erosion.toFixed(2)} voxels inwards.`,
    },
  ];
}

function reconstructionMetadata(
  { geometry, flat, dark }: RadiographsInput,
  facts: ReconstructionFacts,
  { filter, scatterShare }: z.infer<typeof reconstructionPreview.parameters>,
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
    centerUncertaintyMm: facts.centerUncertaintyMm,
    filter,
    binning: facts.binning,
    scatterShare: scatterShare ?? 0,
    ringCorrection: facts.ringLevel !== null,
    flatField: flat !== undefined,
    darkField: dark !== undefined,
    freeBeamLevel: facts.flatLevel,
    fieldOfViewRadiusMm: facts.grid.radiusMm,
  };
}
