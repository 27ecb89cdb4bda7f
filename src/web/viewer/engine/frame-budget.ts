import type { RaySteps } from './volume-layer.ts';

/** How much work a frame may be. */
export interface FrameBudget {
  /** of a surface while something moves, where a simplified one is at hand */
  movingTriangles: number;
  /** longest edge of the volume's texture, in voxels */
  edge: number;
  atRest: RaySteps;
  moving: RaySteps;
  /** rays along each edge of the picture, as a share of its pixels: of what is solid, and of what rays go on through */
  atRestScale: RaySteps;
  /** the same while something moves */
  movingScale: number;
  /** rays a pixel at rest, each through another place in it */
  passes: number;
  /** hollows are darkened where the view does not say, and while something moves: up to as dear as all else of a frame */
  occlusion: boolean;
}

/** For a graphics card, and for a processor that draws in its place. */
export const frameBudgets: Record<'hardware' | 'software', FrameBudget> = {
  hardware: {
    movingTriangles: 1_000_000,
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
    edge: 128,
    atRest: { solid: 0.5, translucent: 1 },
    moving: { solid: 1.5, translucent: 2 },
    atRestScale: { solid: 1, translucent: 0.5 },
    movingScale: 0.5,
    passes: 1,
    occlusion: false,
  },
};
