import type { SurfaceTexture } from '#kernels/color/surface-texture.ts';

/** A surface as returned by the worker: arrays ready for the graphics card, and data for the legend. */
export interface SurfaceData {
  /** 3 · vertices, mm, world */
  positions: Float32Array<ArrayBuffer>;
  /** 3 · vertices */
  normals: Float32Array<ArrayBuffer>;
  /** 3 · triangles, in the order of the search tree */
  indices: Uint32Array<ArrayBuffer>;
  /** by name; a vertex without a measured value has `missingValue`, because not every driver supports NaN */
  scalars: Record<string, Float32Array<ArrayBuffer>>;
  /** values of the scalar of the same name, at a finer resolution than the vertices */
  texture: SurfaceTexture | null;
  /** a third of the area of the triangles around each vertex, mm² */
  vertexAreasMm2: Float32Array<ArrayBuffer>;
  areaMm2: number;
  bounds: { min: [number, number, number]; max: [number, number, number] };
  /** serialised three-mesh-bvh roots */
  bvhRoots: ArrayBuffer[];
}

export interface SurfaceRequest {
  glb: ArrayBuffer;
  isNominal: boolean;
}

export type SurfaceMessage =
  | { kind: 'stage'; stage: string }
  | { kind: 'done'; surface: SurfaceData }
  | { kind: 'failed'; message: string };
