import type { ObliquePlane } from '#kernels/grid/oblique-plane.ts';
import type { Volume, VoxelArray } from '#kernels/grid/volume.ts';
import type { SlicePlane } from './slice-source.ts';

/**
 * Position between two neighbouring slices along an axis: weight of the second, and whether values are rounded to
 * integers.
 */
export interface AxisCut {
  normal: 0 | 1 | 2;
  slice: number;
  weight: number;
  isRounded: boolean;
}

/**
 * A plane of a volume in memory. Its values are computed on first access: a graphics card samples the volume itself.
 */
export class CutPlane implements SlicePlane {
  readonly width: number;
  readonly height: number;
  readonly originMm: [number, number];
  readonly spacingMm: [number, number];
  readonly exact: boolean;
  readonly volume: Volume;
  readonly cut: AxisCut | { oblique: ObliquePlane };
  readonly #read: (kept: VoxelArray | undefined) => VoxelArray;
  #values: VoxelArray | undefined;
  #kept: VoxelArray | undefined;

  /** @param former an obsolete plane whose memory is reused */
  constructor(
    frame: Omit<SlicePlane, 'values'>,
    of: { volume: Volume; cut: CutPlane['cut'] },
    read: (kept: VoxelArray | undefined) => VoxelArray,
    former?: CutPlane,
  ) {
    this.width = frame.width;
    this.height = frame.height;
    this.originMm = frame.originMm;
    this.spacingMm = frame.spacingMm;
    this.exact = frame.exact;
    this.volume = of.volume;
    this.cut = of.cut;
    this.#read = read;
    if (former) this.#kept = former.#release();
  }

  get values(): VoxelArray {
    this.#values ??= this.#read(this.#kept);
    this.#kept = undefined;
    return this.#values;
  }

  #release(): VoxelArray | undefined {
    const memory = this.#values ?? this.#kept;
    this.#values = undefined;
    this.#kept = undefined;
    return memory;
  }
}
