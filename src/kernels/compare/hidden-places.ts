/** Places that no scan can show because there is material on both sides: where bodies touch or overlap. */
import { identityPose } from '../alignment/pose.ts';
import type { TriangleMesh } from '../mesh/mesh.ts';
import type { OpenTree, SurfaceTree } from '../spatial/surface-tree.ts';
import { measureDeviation } from './compare-meshes.ts';
import { pickTriangles } from './pick-triangles.ts';
import type { Probe } from './probe.ts';
import { listComponents } from './reference-groups.ts';
import type { RefinedMesh } from './refine-mesh.ts';
import { measureParts } from './repair-mesh.ts';

export interface HiddenPlaces {
  /** For each given place 1 when it is hidden, otherwise 0. */
  find(places: readonly number[]): Promise<Uint8Array>;
}

/** Share of the summed normals below which equally many triangles face opposite ways at the same place. */
const opposedShare = 1e-3;

/**
 * @param whole faces outward
 * @param tree of `whole`
 * @param refined `whole` cut into small triangles; the places are its vertices
 * @param gapMm bodies closer together than this touch, as far as a scan can show
 */
export function hiddenPlaces(
  whole: TriangleMesh,
  tree: SurfaceTree,
  refined: RefinedMesh,
  probe: Probe,
  gapMm: number,
  openTree: OpenTree,
): HiddenPlaces {
  const numbers = listComponents(whole);
  const parts = measureParts(whole, numbers);
  const partOfPlace = new Uint32Array(refined.mesh.positions.length / 3);
  refined.mesh.indices.forEach((p, corner) => {
    partOfPlace[p] = numbers[refined.pieceOf[Math.floor(corner / 3)]];
  });
  const partOfVertex = new Uint32Array(whole.positions.length / 3);
  whole.indices.forEach((v, corner) => {
    partOfVertex[v] = numbers[Math.floor(corner / 3)];
  });

  async function measureToBody(part: number, points: Float64Array): Promise<Float32Array> {
    const body = await openTree(pickTriangles(whole, (a) => partOfVertex[a] === part).mesh);
    try {
      return (await body.distances({ points, limitMm: Number.POSITIVE_INFINITY })).distancesMm;
    } finally {
      await body.close();
    }
  }

  /** number of bodies around each point, minus the voids around it */
  async function measureDepths(points: Float64Array, own: Uint32Array): Promise<Int32Array> {
    // A void's wall faces the air within it.
    const depths = Int32Array.from(own, (part) => (parts[part].volumeMm3 < 0 ? -1 : 0));
    for (const [part, { volumeMm3, min, max }] of parts.entries()) {
      const near: number[] = [];
      for (let i = 0; i < own.length; i++) {
        if (own[i] === part) continue;
        if (min.every((low, k) => points[3 * i + k] >= low && points[3 * i + k] <= max[k])) near.push(i);
      }
      if (near.length === 0) continue;
      const some = Float64Array.from(
        { length: 3 * near.length },
        (_, i) => points[3 * near[Math.floor(i / 3)] + (i % 3)],
      );
      const distancesMm = await measureToBody(part, some);
      near.forEach((i, at) => {
        if (volumeMm3 < 0) depths[i] -= distancesMm[at] > 0 ? 1 : 0;
        else depths[i] += distancesMm[at] < 0 ? 1 : 0;
      });
    }
    return depths;
  }

  return {
    async find(places) {
      const points = new Float64Array(3 * places.length);
      const isOpposed = new Uint8Array(places.length);
      const there = {
        positions: new Float32Array(3 * places.length),
        directions: new Float32Array(3 * places.length),
      };
      places.forEach((p, i) => {
        const [x, y, z] = probe.directions.subarray(3 * p, 3 * p + 3);
        const length = Math.hypot(x, y, z);
        if (length < opposedShare * 6 * probe.areaMm2[p]) isOpposed[i] = 1;
        [x, y, z].forEach((value, k) => {
          there.positions[3 * i + k] = probe.positions[3 * p + k];
          there.directions[3 * i + k] = -value;
          points[3 * i + k] = probe.positions[3 * p + k] + (length > 0 ? (gapMm * value) / length : 0);
        });
      });
      const own = Uint32Array.from(places, (p) => partOfPlace[p]);
      const depths = parts.length > 1 ? await measureDepths(points, own) : undefined;
      const touching = await measureDeviation(there, tree, { pose: identityPose(), maxDistanceMm: gapMm });
      // In front of what it touches, or on it; behind would be the other side of a thin wall.
      return Uint8Array.from(places, (_, i) =>
        isOpposed[i] === 1 || (depths && depths[i] > 0) || touching.deviationMm[i] >= -1e-3 * gapMm ? 1 : 0,
      );
    },
  };
}
