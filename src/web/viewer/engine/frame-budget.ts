import type { RaySteps } from './volume-layer.ts';

/** Limits for the work of a frame. */
export interface FrameBudget {
  /** triangles of a surface during movements; above it a simplified one is drawn if available */
  movingTriangles: number;
  /** octahedra that represent places, of eight triangles each, drawn during movements */
  movingBodies: number;
  /** longest edge of the volume's texture, in voxels */
  edge: number;
  atRest: RaySteps;
  moving: RaySteps;
  /** rays along each edge of the picture, relative to its pixels: for solid and for translucent styles */
  atRestScale: RaySteps;
  /** the same during movements */
  movingScale: number;
  /** rays per pixel at rest, each through another point of the pixel */
  passes: number;
  /** default of ambient occlusion, also during movements: costs up to as much as the rest of the frame */
  occlusion: boolean;
}

/** For a graphics card, and for software rendering. */
export const frameBudgets: Record<'hardware' | 'software', FrameBudget> = {
  hardware: {
    movingTriangles: 1_000_000,
    movingBodies: 100_000,
    edge: 256,
    atRest: { solid: 0.5, translucent: 0.5 },
    moving: { solid: 1.5, translucent: 1.5 },
    atRestScale: { solid: 1, translucent: 1 },
    movingScale: 0.5,
    passes: 4,
    occlusion: true,
  },
  software: {
    movingTriangles: 400_000,
    movingBodies: 10_000,
    edge: 128,
    atRest: { solid: 0.5, translucent: 1 },
    moving: { solid: 1.5, translucent: 2 },
    atRestScale: { solid: 1, translucent: 0.5 },
    movingScale: 0.5,
    passes: 1,
    occlusion: false,
  },
};
