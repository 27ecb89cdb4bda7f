/** Rings and streaks as in single scans: each over a few planes, with its own radius or direction, dark or bright. */
import { seededRandom } from '../../random.ts';
import type { RenderedPart } from './render-part.ts';

export interface Artefacts {
  /**
   * height of the strongest ring as a share of the contrast; distance of their axis from the middle, in voxels; number
   * of spots on the axis, where rings of radius zero are higher than anywhere else
   */
  rings?: { height: number; count: number; offAxis?: number; cores?: number };
  /** height of the strongest streak; streaks end where the part does */
  streaks?: { height: number; count: number };
  seed: number;
}

/** Adds artefacts to a copy of the part. */
export function addArtefacts(rendered: RenderedPart, { rings, streaks, seed }: Artefacts): RenderedPart {
  const heights = rendered.heights.slice();
  const random = seededRandom(seed);
  const { dimensions } = rendered;
  if (rings) {
    const turn = 2 * Math.PI * random();
    const off = rings.offAxis ?? 0;
    const [ax, ay] = [off * Math.cos(turn), off * Math.sin(turn)];
    for (let n = 0; n < rings.count; n++) {
      const radius = 1 + 0.42 * dimensions[0] * random();
      const [width, arc, from] = [
        0.5 + 0.7 * random(),
        random() < 0.6 ? 7 : 0.5 + 5 * random(),
        7 * random(),
      ];
      paintLines(heights, dimensions, pickLine(rings.height, dimensions[2], random), (x, y) => {
        const angle = (Math.atan2(y - ay, x - ax) - from + 20 * Math.PI) % (2 * Math.PI);
        return angle > arc ? Infinity : (Math.hypot(x - ax, y - ay) - radius) / width;
      });
    }
    for (let n = 0; n < (rings.cores ?? 0); n++) {
      const width = 0.6 + 0.5 * random();
      paintLines(
        heights,
        dimensions,
        pickLine(2 * rings.height, dimensions[2], random),
        (x, y) => Math.hypot(x - ax, y - ay) / width,
      );
    }
  }
  for (let n = 0; n < (streaks?.count ?? 0); n++) {
    const turn = 2 * Math.PI * random();
    const [ux, uy, at] = [Math.cos(turn), Math.sin(turn), (random() - 0.5) * 0.6 * dimensions[0]];
    const [width, spread, long] = [
      0.6 + 1.2 * random(),
      0.03 * random(),
      (0.2 + 0.4 * random()) * dimensions[0],
    ];
    paintLines(heights, dimensions, pickLine(streaks?.height ?? 0, dimensions[2], random), (x, y) => {
      const along = x * ux + y * uy;
      return Math.abs(along) > long ? Infinity : (y * ux - x * uy - at) / (width + spread * Math.abs(along));
    });
  }
  return { ...rendered, heights };
}

interface Line {
  height: number;
  from: number;
  to: number;
}

/** Half of them run through all planes, as a defective detector element leaves them in a scan with straight motion. */
function pickLine(height: number, planes: number, random: () => number): Line {
  const high = height * (0.4 + 0.6 * random()) * (random() < 0.5 ? -1 : 1);
  if (random() < 0.3) return { height: high, from: 0, to: planes };
  const from = Math.floor(planes * random());
  return { height: high, from, to: Math.min(planes, from + 1 + Math.floor(6 * random() ** 2)) };
}

/** @param apart distance from the line over its width, by x and y from the middle */
function paintLines(
  heights: Float32Array,
  [nx, ny]: readonly number[],
  { height, from, to }: Line,
  apart: (x: number, y: number) => number,
): void {
  const plane = nx * ny;
  for (let y = 0, i = 0; y < ny; y++) {
    for (let x = 0; x < nx; x++, i++) {
      const far = apart(x - (nx - 1) / 2, y - (ny - 1) / 2);
      if (!(Math.abs(far) < 4)) continue;
      const more = height * Math.exp((-far * far) / 2);
      for (let z = from; z < to; z++) heights[z * plane + i] += more;
    }
  }
}
