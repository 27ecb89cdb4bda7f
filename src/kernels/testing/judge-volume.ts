/** Volumes as a scan's judge gets them, and what it finds in them. */
import type { Histogram } from '../grid/histogram.ts';
import type { SummarizedVolume } from '../grid/outliers.ts';
import { makeSlabs, type Vector3, type Volume } from '../grid/volume.ts';
import { judgeScan } from '../quality/judge-scan.ts';
import type { ScanIndices } from '../quality/scan-indices.ts';
import type { Body } from './bodies.ts';
import type { Part } from './families/bodies.ts';
import { renderPart } from './families/render-part.ts';
import { channelledCylinder, type Impairment, impairedScan } from './impaired-scans.ts';

export function summarize(volume: Volume): SummarizedVolume {
  const { data } = volume;
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let i = 0; i < data.length; i++) {
    low = Math.min(low, data[i]);
    high = Math.max(high, data[i]);
  }
  const counts = new Array<number>(1024).fill(0);
  for (let i = 0; i < data.length; i++)
    counts[Math.min(1023, Math.floor((1024 * (data[i] - low)) / (high - low)))]++;
  const histogram: Histogram = { min: low, max: high, counts };
  return { ...makeSlabs(volume), range: [low, high], histogram };
}

/** @throws Error when the volume is not judged at all */
export async function judge(volume: Volume): Promise<ScanIndices> {
  const found = await judgeScan(summarize(volume));
  if (!found) throw new Error('nothing was judged');
  return found;
}

/** Blur and contrast to noise of a good scan. */
export const usual: Impairment = { blur: 0.6, contrastToNoise: 20 };
/** A cylinder with channels, shared by most tests. */
export const channelled = channelledCylinder();
const judged = new Map<string, Promise<ScanIndices>>();
/** Judges the channelled part once for each impairment, for all tests. */
export function judgePart(impairment: Impairment): Promise<ScanIndices> {
  const all = { ...usual, ...impairment };
  const key = JSON.stringify(all);
  const indices =
    judged.get(key) ?? judge(impairedScan(channelled.body, channelled.dimensions, all, channelled.holes));
  judged.set(key, indices);
  return indices;
}

/** Rendered in 64³ voxels of a millimetre. */
export const render = (part: Part, blurVoxels = 0.6) => renderPart(part, [64, 64, 64], [1, 1, 1], blurVoxels);
export const judgeBody = (other: Body, size: Vector3 = [72, 72, 72]) =>
  judge(impairedScan(other, size, usual));
