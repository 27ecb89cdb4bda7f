import type { Arena } from '../arena.ts';
import type { BitGrid } from './bit-layout.ts';

export interface StageOptions {
  progress?: ((fraction: number) => void) | undefined;
  /** planes per task; set by tests only, the result does not depend on it */
  slabPlanes?: number | undefined;
}

/** A stage of work on bits: the grid, and the threads and the memory that work on it. */
export interface BitStage extends StageOptions {
  grid: BitGrid;
  arena: Arena;
}
