/** Scans of sound parts have no gaps, no periodic structure, no faint places beside them and no edges with two steps. */
import { expect, it } from 'vitest';
import type { Vector3 } from '../grid/volume.ts';
import { seededRandom } from '../random.ts';
import { hollowCylinder, movedBody } from '../testing/bodies.ts';
import {
  cutBy,
  type Part,
  part,
  placed,
  plainPart,
  porousPart,
  randomPart,
  union,
} from '../testing/families/bodies.ts';
import { type Impairments, impairPart } from '../testing/families/impair.ts';
import { gear, stackedBlocks } from '../testing/families/machined-parts.ts';
import { grainedBlock, wovenBlock } from '../testing/families/textured-parts.ts';
import { judge, render } from '../testing/judge-volume.ts';

/** A flange on a hub, with a bore and four holes of 5 voxels that blur fills in part. */
function flange() {
  const cylinder = (radius: number, height: number, ...at: Vector3) =>
    movedBody(hollowCylinder(radius, 0, height), at);
  const holes = [0, 1, 2, 3].map((n) =>
    cylinder(2.5, 60, 15 * Math.cos(1.57 * n), 15 * Math.sin(1.57 * n), 0),
  );
  const solid = union('flange', [cylinder(19, 10, 0, 0, -9), cylinder(11, 26, 0, 0, 2)]);
  const body = [cylinder(5, 60, 0, 0, 0), ...holes].reduce((rest, hole) => cutBy(rest, hole, -1), solid);
  return part(placed(body, seededRandom(15)));
}

const usual = { contrastToNoise: 20 };
type Index = 'gaps' | 'places' | 'steps';

it.each<[string, Part, Impairments, number, Index[]?]>([
  ['a plain part', plainPart(2), usual, 0.6],
  ['a gear', gear(14, 4, 2), usual, 0.6],
  ['pores', porousPart(4), usual, 0.6],
  ['sharp edges', randomPart(2), usual, 0.3],
  ['blur', porousPart(5), usual, 1],
  ['holes and blur', flange(), { contrastToNoise: 30, seed: 2 }, 1.1],
  ['wide blur', plainPart(1), usual, 1.5],
  ['a blur of 2.4 voxels', plainPart(1), usual, 2.6],
  ['a gap that shows', stackedBlocks(4, 4), usual, 1.2, ['gaps']],
  ['strong noise', plainPart(3), { contrastToNoise: 4 }, 0.6, ['gaps']],
  ['noise', plainPart(3), { contrastToNoise: 6 }, 0.6],
  ['noise with a grain', porousPart(2), { contrastToNoise: 8, grain: 1.6 }, 0.6, ['gaps']],
  ['strong noise with a grain', plainPart(3), { contrastToNoise: 5, grain: 0.8 }, 0.6, ['gaps']],
  ['cupping', randomPart(2), { contrastToNoise: 12, cupping: 0.35 }, 0.6],
  ['cupping and blur', plainPart(4), { contrastToNoise: 20, cupping: 0.3 }, 1],
  ['a ramp', plainPart(4), { contrastToNoise: 20, ramp: 0.4 }, 0.6],
  ['rings', porousPart(2), { contrastToNoise: 20, rings: { height: 0.05 } }, 0.6],
  ['strong rings', porousPart(2), { contrastToNoise: 20, rings: { height: 0.08 } }, 0.6, ['gaps']],
  ['wood', grainedBlock(5, true), usual, 0.6, ['gaps', 'steps']],
  ['a laminate', wovenBlock(2, true), usual, 0.6, ['gaps', 'steps']],
])('%s', async (_, part, impairments, blur, indices = ['gaps', 'places', 'steps']) => {
  const found = await judge(impairPart(render(part, blur), { seed: 4, ...impairments }));
  expect(found.unresolved ?? 0).toBeLessThan(0.1);
  if (indices.includes('gaps')) expect(found.faintGapShare).toBeLessThan(0.003);
  if (indices.includes('places')) expect(found.faintShare).toBeLessThan(blur > 1.2 ? 0.02 : 0.0075);
  if (indices.includes('steps')) expect(found.doubleShare ?? 0).toBeLessThan(0.25);
});
