/**
 * Work on a whole mesh that does not fit into a kernel task. It takes seconds for millions of triangles, so it then
 * runs on a thread (see run-mesh-work.ts). Pure functions: inputs may be transferred, outputs are new.
 */
import type { SurfaceDetail } from '#contract/shapes/data-object.ts';
import { packGlb } from '#formats/glb/pack-glb.ts';
import type { WritableMeshId } from '#formats/registry.ts';
import { joinShells } from '#kernels/mesh/join-shells.ts';
import { type MeshFacts, measureMesh } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { type Atlas, makeAtlas } from '#kernels/texture/atlas.ts';
import { type Disagreement, findDisagreement, narrowBalls } from '#kernels/thickness/disagreement.ts';
import { leaveOutRims } from '#kernels/thickness/rims.ts';
import {
  type ThicknessStatistics,
  type ThinRegion,
  thicknessStatistics,
  thinRegions,
} from '#kernels/thickness/statistics.ts';
import { alignSurfaces } from './align-work.ts';
import type { Report, ResultFile } from './analysis.ts';
import { compareSurfaces } from './compare-work.ts';
import { meshFiles } from './mesh-files.ts';
import { simplifyForDrawing, simplifyMesh } from './simplify.ts';
import { type TexturedMesh, texturedFiles } from './textured-files.ts';

export interface Thickness {
  mesh: TriangleMesh;
  /** one per vertex */
  thicknessMm: Float32Array<ArrayBuffer>;
  areaMm2: Float32Array<ArrayBuffer>;
  /** in addition to the sphere method, one per vertex */
  rayMm?: Float32Array<ArrayBuffer>;
}

export const meshWork = {
  async simplify(input: {
    mesh: TriangleMesh;
    targetTriangles: number;
  }): Promise<{ mesh: TriangleMesh; facts: MeshFacts }> {
    const mesh = await simplifyMesh(input.mesh, input.targetTriangles);
    return { mesh, facts: measureMesh(mesh.positions, mesh.indices) };
  },

  /** Returns the mesh with its values and their statistics. */
  async summarizeThickness(
    input: Thickness & { minThicknessMm: number | undefined; voxelMm: number },
  ): Promise<
    Thickness & {
      statistics: ThicknessStatistics | null;
      regions: ThinRegion[];
      disagreement: Disagreement | null;
      /** the same of the least thickness that rims may have; null when balls were not measured */
      narrowed: ThicknessStatistics | null;
      /** the same without rims and corners; null when balls were not measured, or hardly anything else is left */
      rimless: ThicknessStatistics | null;
    }
  > {
    const { mesh, thicknessMm, areaMm2, rayMm, minThicknessMm, voxelMm } = input;
    const disagreement = rayMm ? findDisagreement(thicknessMm, rayMm, areaMm2, voxelMm) : null;
    const statistics = thicknessStatistics(thicknessMm, areaMm2, minThicknessMm);
    const regions =
      minThicknessMm === undefined
        ? []
        : thinRegions(mesh, thicknessMm, areaMm2, minThicknessMm, disagreement?.flags);
    const narrowed = rayMm ? thicknessStatistics(narrowBalls(thicknessMm, rayMm), areaMm2) : null;
    const { normals } = mesh;
    const medianMm = statistics?.percentilesMm.p50;
    const left =
      rayMm && normals && medianMm !== undefined
        ? leaveOutRims({ ...mesh, normals }, thicknessMm, areaMm2, { medianMm, voxelMm })
        : null;
    const rimless = left && thicknessStatistics(left, areaMm2);
    return { mesh, thicknessMm, areaMm2, statistics, regions, disagreement, narrowed, rimless };
  },

  writeFiles(input: {
    mesh: TriangleMesh;
    baseName: string;
    formats: readonly WritableMeshId[];
  }): Promise<ResultFile[]> {
    return meshFiles(input.mesh, input.baseName, input.formats);
  },

  async joinShells(input: {
    mesh: TriangleMesh;
    inner: TriangleMesh | null;
  }): Promise<{ mesh: TriangleMesh; facts: MeshFacts }> {
    return joinShells(input.mesh, input.inner);
  },

  /** Returns the mesh with texture coordinates for every triangle. */
  async unfold(
    input: { mesh: TriangleMesh & { normals: Float32Array }; sizePx: number },
    report?: Report,
  ): Promise<{ mesh: TriangleMesh; atlas: Atlas }> {
    const atlas = makeAtlas(input.mesh, input.sizePx, (fraction) => report?.(fraction, 'Unfolding'));
    return { mesh: input.mesh, atlas };
  },

  writeTextured(input: TexturedMesh): Promise<ResultFile[]> {
    return texturedFiles(input);
  },

  /** Packs a mesh for display, see `packGlb`. */
  async pack({ mesh, detail, name }: { mesh: TriangleMesh; detail: SurfaceDetail; name: string }): Promise<{
    bytes: Uint8Array;
    triangles: number;
  }> {
    const drawn = detail === 'simplified' ? await simplifyForDrawing(mesh) : mesh;
    return { bytes: await packGlb(drawn, name), triangles: drawn.indices.length / 3 };
  },

  /** Distances are computed by the caller's threads, see run-mesh-work.ts. */
  alignSurfaces,
  compareSurfaces,
} as const;

export type MeshWorkName = keyof typeof meshWork;
export type MeshWorkInput<Name extends MeshWorkName> = Parameters<(typeof meshWork)[Name]>[0];
export type MeshWorkOutput<Name extends MeshWorkName> = Awaited<ReturnType<(typeof meshWork)[Name]>>;
