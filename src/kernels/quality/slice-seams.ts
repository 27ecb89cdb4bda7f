/** Where stacks of slices were joined and do not fit: slices are doubled there, or missing. */
import type { DetailSlab } from './detail.ts';

/** What rises over three slices is an edge from this share of the contrast on, and from so many deviations of the noise. */
const [leastRise, riseDeviations] = [0.5, 6.4];
/** Voxels of each slice that are looked at, about. */
const mostOfSlice = 16_384;
/** Steps between two slices at least. */
const fewestSteps = 40;

/**
 * A third of how far the steepest edges go on, by their blur in voxels, and with the most of it; and where there are no flat faces to
 * tell the blur, nor an end of the part that could be taken for a joint.
 */
const [shareOfBlur, mostOfBlur, withoutFaces] = [0.22, 0.2, 0.06];
/**
 * Of sharper scans nothing is said: a face between two slices doesn't go on there either. Sides that run through the middle of voxels
 * seem to be blurred by 0.5 voxels where 0.4 are true.
 */
const leastBlur = 0.52;

/** How far edges between two slices go on, in the slices before and after, summed over all steps between the two. */
export class SeamSums {
  private readonly isSeen: Uint8Array;
  private readonly counts: Float64Array;
  private readonly steps: Float64Array;
  private readonly before: Float64Array;
  private readonly after: Float64Array;

  constructor(slices: number) {
    this.isSeen = new Uint8Array(slices);
    [this.counts, this.steps, this.before, this.after] = [0, 1, 2, 3].map(() => new Float64Array(slices));
  }

  /** Adds the slices that were not yet. O(cells) of slices with up to 16,384 voxels. */
  add({ values, dimensions, first, planes, levels }: DetailSlab): void {
    const [nx, ny] = dimensions;
    const plane = nx * ny;
    const every = Math.max(1, Math.round(plane / mostOfSlice));
    const least = Math.max(
      leastRise * (levels.materials[0].grey - levels.air),
      riseDeviations * levels.noise,
    );
    for (let z = 2; z + 1 < planes; z++) {
      if (this.isSeen[first + z] === 1) continue;
      this.isSeen[first + z] = 1;
      let [count, steps, before, after] = [0, 0, 0, 0];
      for (let y = 0; y < ny; y += every) {
        const end = z * plane + (y + 1) * nx;
        for (let at = end - nx; at < end; at++) {
          // Of the slices beyond the two, whose noise makes what goes on larger, if anything.
          const rise = values[at + plane] - values[at - 2 * plane];
          if (!(rise > least || rise < -least)) continue;
          const sign = rise > 0 ? 1 : -1;
          const step = sign * (values[at] - values[at - plane]);
          const own = sign * (values[at - plane] - values[at - 2 * plane]);
          const next = sign * (values[at + plane] - values[at]);
          if (step < own || step < next) continue;
          count++;
          steps += step;
          before += own;
          after += next;
        }
      }
      this.counts[first + z] = count;
      this.steps[first + z] = steps;
      this.before[first + z] = before;
      this.after[first + z] = after;
    }
  }

  /**
   * Slices that do not follow the one before: edges that change between the two change by nothing beside them. Blur spreads an edge
   * over its neighbours, a face that lies just between two of them to each side by 0.6 times the blur or so.
   * @param blurVoxels across the slices; null where it is not known
   * @param isNoisy a mask has neither blur nor noise, and no edge of it goes on
   */
  find(blurVoxels: number | null, isNoisy: boolean): number[] {
    if (blurVoxels === null ? !isNoisy : blurVoxels < leastBlur) return [];
    const least = blurVoxels === null ? withoutFaces : Math.min(mostOfBlur, shareOfBlur * blurVoxels);
    const goesOn = (z: number) => Math.max(this.before[z], this.after[z]) / this.steps[z];
    return [...this.counts.keys()].filter((z) => this.counts[z] >= fewestSteps && goesOn(z) < least);
  }
}
