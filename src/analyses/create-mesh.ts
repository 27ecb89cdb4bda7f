import type { z } from 'zod';
import { surfaceMesh } from '#contract/analyses/create-mesh.ts';
import type { Uncertainty } from '#contract/metadata/uncertainty.ts';
import { cellsIn } from '#kernels/grid/region.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import type { SurfaceLevel } from '#kernels/surface/surface-level.ts';
import { listVersions } from './algorithms.ts';
import { type AnalysisContext, implementAnalysis, type ResultObject, type VolumeInput } from './analysis.ts';
import { determineSurface } from './determine-surface.ts';
import { expand } from './expand-uncertainty.ts';
import type { DeterminedSurface } from './found-level.ts';
import { type MaterialLevels, materialLevels } from './material-levels.ts';
import { behindNoiseFilter } from './noise-filter.ts';
import { summarizePlaces } from './place-uncertainties.ts';
import { runMeshWork } from './run-mesh-work.ts';
import { makeVolumeMesh, meshAlgorithms, withoutCut } from './volume-mesh.ts';
import { levelFacts, smoothingFacts, surfaceWarnings } from './volume-surface.ts';

type Parameters = z.infer<typeof surfaceMesh.parameters>;
type MeshObject = ResultObject<typeof surfaceMesh>;
type Made = Awaited<ReturnType<typeof makeVolumeMesh>>;
interface Shown {
  made: Made;
  /** the mesh as exported, simplified on request */
  mesh: TriangleMesh;
  facts: Made['facts'];
  /** computed before the mesh is transferred to a thread, which empties its arrays here */
  accuracy: ReturnType<typeof describeAccuracy>;
  /** the level where this material begins; null with a single material */
  level: SurfaceLevel | null;
}

/**
 * Creates a closed mesh of the surface between air and material; with several materials, one of the whole part and one
 * for each.
 */
export const createMeshAnalysis = implementAnalysis(surfaceMesh, async (parameters, inputs, context) => {
  const { signal } = context;
  const stored = await context.volume(inputs.sourceDataObjectId);
  const volume = await behindNoiseFilter(stored, parameters, context);
  context.progress(0, 'Surface determination');
  let materials = await materialLevels(volume, parameters);
  const findWhole = () => determineSurface(inputs.sourceDataObjectId, volume, parameters, context);
  let surfaces: [Shown, ...Shown[]] = materials
    ? await makeMaterialSurfaces(volume, parameters, materials, context)
    : [await makeWholeSurface(volume, parameters, await findWhole(), context)];
  const empty = surfaces.findIndex(
    ({ facts }, i) => (facts.volumeMm3 ?? 0) <= (surfaces[i + 1]?.facts.volumeMm3 ?? 0),
  );
  if (materials && empty >= 0) {
    // Histogram peaks that are no materials, such as the steps in a coarse scan of thin walls.
    if (parameters.materials !== 'auto') {
      throw new KernelError(
        'NO_SURFACE',
        `Material ${empty + 1} of ${surfaces.length} would have no volume: choose fewer.`,
      );
    }
    materials = null;
    surfaces = [await makeWholeSurface(volume, parameters, await findWhole(), context)];
  }
  const [whole] = surfaces;
  context.progress(0.9, 'Writing');
  const parts = materials ? await listParts(surfaces, parameters, signal) : [];
  const isSimplified = surfaces.some(({ made, facts }) => made.facts !== facts);
  const metadata = {
    surfaceMode: parameters.surface.mode,
    ...smoothingFacts(parameters, whole.made.smoothing),
    edgeBlurMm: whole.made.edgeBlurMm,
    curvatureKept: parameters.smoothing === 'auto',
    regionCells: cellsIn(volume.grid, parameters.region),
  };
  const { formats } = parameters;
  const files = await runMeshWork('writeFiles', { mesh: whole.mesh, baseName: 'mesh', formats }, signal);
  return {
    dataObjects: [
      {
        kind: surfaceMesh.makes,
        name: 'Mesh',
        metadata: {
          ...whole.facts,
          ...levelFacts(whole.made),
          ...metadata,
          ...(whole.made.facts !== whole.facts
            ? { trianglesBeforeSimplification: whole.made.facts.triangles }
            : {}),
          ...(parts.length > 0 ? { materials: parts.map(summarize) } : {}),
          ...whole.accuracy,
        },
        files,
      },
      ...parts.map(
        ({ metadata: own, ...part }): MeshObject => ({
          kind: surfaceMesh.makes,
          ...part,
          metadata: { ...own, ...metadata },
        }),
      ),
    ],
    warnings: surfaceWarnings(whole.made.doubts, 'volumeMm3', 'areaMm2'),
    algorithms: listVersions(
      ...meshAlgorithms(parameters, whole.made),
      ...(isSimplified ? (['simplification'] as const) : []),
      ...(materials ? (['materials'] as const) : []),
    ),
  };
});

function describeAccuracy({ uncertaintiesMm, sureness, doubts }: Made) {
  const { volumeUncertainty = null, areaUncertainty = null } = sureness ?? {};
  return {
    ...(uncertaintiesMm ? { placeUncertainty: summarizePlaces(uncertaintiesMm) } : {}),
    // A mesh of a part that the scan cuts has no uncertainties, however well its surface is known.
    uncertainties:
      volumeUncertainty && areaUncertainty && doubts.length === 0
        ? { volumeMm3: volumeUncertainty, areaMm2: areaUncertainty }
        : {},
  };
}

/** The interval about a number of the simplified mesh contains that of the whole one. */
function includeSimplification(
  whole: ReturnType<typeof describeAccuracy>['uncertainties'],
  before: Made['facts'],
  after: Made['facts'],
): typeof whole {
  const { volumeMm3, areaMm2 } = whole;
  if (!volumeMm3 || !areaMm2) return whole;
  const include = (of: Uncertainty, path: 'volumeMm3' | 'areaMm2') => {
    const change = Math.abs((after[path] ?? 0) - (before[path] ?? 0));
    if (change === 0) return of;
    // Both in full: the change is known, and adds to an error that may have its sign.
    const simplification = Math.sqrt((change / 2) ** 2 + (change / 2) * of.expanded);
    const contributions = of.contributions.map(({ name, value }) => [name, value] as const);
    return expand({ ...Object.fromEntries(contributions), simplification });
  };
  return { volumeMm3: include(volumeMm3, 'volumeMm3'), areaMm2: include(areaMm2, 'areaMm2') };
}

/** The surface of the whole part, at whichever level was determined. */
async function makeWholeSurface(
  volume: VolumeInput,
  parameters: Parameters,
  found: DeterminedSurface,
  context: AnalysisContext,
): Promise<Shown> {
  const within = shareProgress(context, 0, 1);
  const made = await makeVolumeMesh(volume, parameters, within, found, {
    share: 0.9,
    hasUncertainties: true,
  });
  const accuracy = describeAccuracy(made);
  const scalars = made.uncertaintiesMm && { positionUncertaintyMm: made.uncertaintiesMm };
  const mesh = scalars ? { ...made.mesh, scalars } : made.mesh;
  const shown = await simplify(made, mesh, parameters, within);
  const uncertainties = includeSimplification(accuracy.uncertainties, made.facts, shown.facts);
  return { ...shown, accuracy: { ...accuracy, uncertainties }, level: null };
}

/** One surface per material level, outermost first. */
async function makeMaterialSurfaces(
  volume: VolumeInput,
  parameters: Parameters,
  { levels, peaks, smoothing }: MaterialLevels,
  context: AnalysisContext,
): Promise<[Shown, ...Shown[]]> {
  const surfaces: Shown[] = [];
  const lowestIsoValue = Math.min(...levels.map(({ isoValue }) => isoValue));
  for (const [i, level] of levels.entries()) {
    const within = shareProgress(context, i, levels.length);
    const fixed = { level, lowestIsoValue, smoothing };
    const material = { number: i + 1, peaks };
    const made = await makeVolumeMesh(volume, parameters, within, fixed, { share: 0.9, material });
    const shown = await simplify(made, made.mesh, parameters, within);
    surfaces.push({ ...shown, accuracy: { uncertainties: {} }, level });
  }
  // There are at least two.
  return surfaces as [Shown, ...Shown[]];
}

const shareProgress = (context: AnalysisContext, i: number, count: number): AnalysisContext => ({
  ...context,
  progress: (fraction, stage) =>
    context.progress(
      (0.9 * (i + fraction)) / count,
      count > 1 ? `Material ${i + 1} of ${count}: ${stage.toLowerCase()}` : stage,
    ),
});

/** Simplifies to at most the requested number of triangles. */
async function simplify(
  made: Made,
  mesh: TriangleMesh,
  { targetTriangles }: Parameters,
  { progress, signal }: AnalysisContext,
): Promise<Pick<Shown, 'made' | 'mesh' | 'facts'>> {
  if (targetTriangles === undefined || made.facts.triangles <= targetTriangles)
    return { made, mesh, facts: made.facts };
  progress(0.9, 'Simplifying');
  const simplified = await runMeshWork('simplify', { mesh, targetTriangles }, signal);
  return { made, mesh: simplified.mesh, facts: withoutCut(simplified.facts, made.cut) };
}

type Metadata = MeshObject['metadata'];
/** The mesh of one material. */
interface Part {
  name: string;
  metadata: Made['facts'] & Required<Pick<Metadata, 'isoValue' | 'material'>>;
  files: MeshObject['files'];
}

/** Each material extends from its own level to the next higher one. */
async function listParts(
  surfaces: readonly Shown[],
  { formats }: Parameters,
  signal: AbortSignal,
): Promise<Part[]> {
  const parts: Part[] = [];
  for (const [i, { mesh: outer, level }] of surfaces.entries()) {
    if (!level?.peaks) continue;
    const { mesh: inner, level: upper } = surfaces[i + 1] ?? { mesh: null, level: null };
    // Copied, because arrays sent to a thread are transferred, and each surface is used twice: as the outside of one
    // material and the inside of another.
    const shells = await runMeshWork('joinShells', structuredClone({ mesh: outer, inner }), signal);
    const number = i + 1;
    const material = {
      number,
      of: surfaces.length,
      grayValue: level.peaks.material,
      isoValue: level.isoValue,
      upperIsoValue: upper?.isoValue ?? null,
    };
    const baseName = `material-${number}`;
    const files = await runMeshWork('writeFiles', { mesh: shells.mesh, baseName, formats }, signal);
    parts.push({
      name: `Material ${number}`,
      metadata: { ...shells.facts, isoValue: material.isoValue, material },
      files,
    });
  }
  return parts;
}

function summarize({
  metadata: { material, volumeMm3, volumeReason, areaMm2, components, watertight },
}: Part) {
  return { ...material, volumeMm3, volumeReason, areaMm2, components, watertight };
}
