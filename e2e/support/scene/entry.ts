/** The code that a page needs to draw bodies with the viewer's engine, and nothing else of the product. */
import * as three from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import { measureBounds, vertexAreasAndNormals } from '#kernels/color/vertex-areas.ts';
import { nothingCut } from '#kernels/grid/cut-away.ts';
import { type PackedVolume, packVolume } from '#kernels/grid/pack-volume.ts';
import { turnGrid } from '#kernels/grid/turned-grid.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { cutOblique } from '#web/viewer/data/cut-oblique.ts';
import { extractPlane } from '#web/viewer/data/extract-plane.ts';
import type { SurfaceData } from '#web/viewer/data/surface-data.ts';
import { Engine } from '#web/viewer/engine/engine.ts';
import type { SceneState } from '#web/viewer/engine/layer.ts';
import { PlaneCard } from '#web/viewer/engine/plane-card.ts';
import { drawPlanes } from '#web/viewer/slices/draw-plane.ts';

type Array3 = [number, number, number];

/** Balls as one surface, with triangles sorted by `order`, which receives their index. */
function makeBalls(
  balls: readonly { centre: Array3; radius: number }[],
  rings: number,
  order: (triangle: number) => number = (triangle) => triangle,
): SurfaceData {
  const points: number[] = [];
  const triangles: Array3[] = [];
  for (const { centre, radius } of balls) {
    const first = points.length / 3;
    for (let i = 0; i <= rings; i++) {
      for (let j = 0; j < 2 * rings; j++) {
        const [a, b] = [(Math.PI * i) / rings, (Math.PI * j) / rings];
        const ball = [Math.sin(a) * Math.cos(b), Math.sin(a) * Math.sin(b), Math.cos(a)];
        points.push(...ball.map((value, k) => (centre[k] ?? 0) + radius * value));
        const corner = (down: number, on: number) =>
          first + (i + down) * 2 * rings + ((j + on) % (2 * rings));
        // One triangle at the poles, two elsewhere.
        if (i > 0 && i < rings) triangles.push([corner(0, 0), corner(1, 0), corner(0, 1)]);
        if (i < rings - 1) triangles.push([corner(0, 1), corner(1, 0), corner(1, 1)]);
      }
    }
  }
  const sorted = triangles
    .map((triangle, i) => ({ triangle, place: order(i) }))
    .sort((one, other) => one.place - other.place);
  return makeSurface(Float32Array.from(points), Uint32Array.from(sorted.flatMap(({ triangle }) => triangle)));
}

/** Arrays for the engine; triangles stay in their order. */
function makeSurface(positions: Float32Array<ArrayBuffer>, indices: Uint32Array<ArrayBuffer>): SurfaceData {
  const { vertexAreasMm2, normals, areaMm2 } = vertexAreasAndNormals({ positions, indices });
  const geometry = new three.BufferGeometry();
  geometry.setAttribute('position', new three.BufferAttribute(positions, 3));
  geometry.setIndex(new three.BufferAttribute(indices.slice(), 1));
  const { roots } = MeshBVH.serialize(new MeshBVH(geometry));
  return {
    positions,
    normals,
    indices,
    scalars: {
      awayMm: positions.filter((_, i) => i % 3 === 1),
      heightMm: positions.filter((_, i) => i % 3 === 2),
    },
    texture: null,
    vertexAreasMm2,
    areaMm2,
    bounds: measureBounds(positions),
    bvhRoots: roots as ArrayBuffer[],
  };
}

/** A tube that fills most of its box of ten millimetres: 8000 in air, 40000 in material. */
function makeVolume(edge: number): PackedVolume {
  const voxelSizeMm: Array3 = [10 / edge, 10 / edge, 10 / edge];
  const volume = renderBody(hollowCylinder(4.5, 2.5, 8), {
    dimensions: [edge, edge, edge],
    voxelSizeMm,
    air: 8000,
    material: 40_000,
  });
  return packVolume(volume, edge);
}

/** Only a surface, seen along −y, ten millimetres high. */
const plainState = (lut: Uint8Array): SceneState => ({
  camera: {
    position: [0, -30, 0],
    target: [0, 0, 0],
    up: [0, 0, 1],
    projection: 'orthographic',
    heightMm: 10,
  },
  cursorWorld: [0, 0, 0],
  surface: {
    visible: true,
    opacity: 1,
    scalar: null,
    map: 'viridis',
    range: null,
    brush: null,
    shaded: true,
  },
  scene: { edges: false, occlusion: false },
  referenceVisible: true,
  places: null,
  range: [-5, 5],
  lut,
  section: null,
  cuts: nothingCut,
  volume: {
    visible: false,
    style: 'surface',
    curve: [],
    greyLimits: [0, 1],
    cutColour: null,
    contrast: 1,
    isOnDark: false,
  },
  boxCorners: null,
  cursorLines: [],
});

const sceneTools = {
  ...{ Engine, makeBalls, makeSurface, makeVolume, plainState, three },
  ...{ PlaneCard, cutOblique, drawPlanes, extractPlane, turnGrid },
};
export type SceneTools = typeof sceneTools;
Object.assign(globalThis, { sceneTools });
