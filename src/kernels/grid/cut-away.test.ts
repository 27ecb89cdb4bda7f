import { describe, expect, it } from 'vitest';
import { type ClipSettings, isCutAway, isOnSection, listCuts, listFaces, nothingCut } from './cut-away.ts';
import type { Vector3 } from './volume.ts';

const none: ClipSettings = { box: null, planes: [], beforePlace: null };
const box = (keep: 'inside' | 'outside'): ClipSettings => ({
  ...none,
  box: { enabled: true, minMm: [0, 0, 0], maxMm: [1, 2, 3], keep },
});
const plane = (normal: Vector3, offsetMm: number) => ({ enabled: true, normal, offsetMm });
const isGone = (clips: ClipSettings, [x, y, z]: Vector3) => isCutAway(listCuts(clips), x, y, z);

describe('the region that is cut away', () => {
  it('is empty when nothing is enabled', () => {
    const off = { ...plane([1, 0, 0], 0), enabled: false };
    const { box: around } = box('inside');
    expect(listCuts({ ...none, planes: [off], box: around && { ...around, enabled: false } })).toEqual(
      nothingCut,
    );
  });

  it('lies beyond one of the planes, however long their normals are', () => {
    const clips = {
      ...none,
      planes: [plane([0, 0, 4], 8)],
      beforePlace: { normal: [1, 0, 0] as Vector3, offsetMm: 5 },
    };
    expect(isGone(clips, [0, 0, 1.9])).toBe(false);
    expect(isGone(clips, [0, 0, 2.1])).toBe(true);
    expect(isGone(clips, [5.1, 0, 0])).toBe(true);
  });

  it.each<[Vector3, boolean]>([
    [[0.5, 1, 1.5], true],
    [[0.5, 1, 3.1], false],
    [[-0.1, 1, 1.5], false],
    [[0.9, 1.9, 0.1], true],
  ])('at %s is outside or inside of the box', (point, isInside) => {
    expect(isGone(box('inside'), point)).toBe(!isInside);
    expect(isGone(box('outside'), point)).toBe(isInside);
  });
});

describe('sections', () => {
  /** Each point on a section has material on its near side and none beyond. */
  it.each<[string, ClipSettings]>([
    ['planes', { ...none, planes: [plane([1, 0, 0], 0.4), plane([0, 0.6, 0.8], 1)] }],
    ['a box', box('inside')],
    ['a hole', box('outside')],
    ['a hole and a plane through it', { ...box('outside'), planes: [plane([0, 0, 1], 1.2)] }],
  ])('of %s are where what stays ends', (_, clips) => {
    const cuts = listCuts(clips);
    const wrong: Vector3[] = [];
    let found = 0;
    for (const { normal, offsetMm, own } of listFaces(cuts))
      for (let i = 0; i < 400; i++) {
        const off: Vector3 = [(i % 20) / 5 - 1.03, Math.floor(i / 20) / 5 - 1.03, ((i * 7) % 20) / 5 - 1.03];
        const away = off.reduce((sum, mm, k) => sum + mm * normal[k], 0) - offsetMm;
        const at = off.map((mm, k) => mm - away * normal[k]) as Vector3;
        const beside = (mm: number) => at.map((each, k) => each + mm * normal[k]) as Vector3;
        const ends = !isCutAway(cuts, ...beside(-1e-6)) && isCutAway(cuts, ...beside(1e-6));
        if (isOnSection(cuts, own, at, 1e-9) !== ends) wrong.push(at);
        if (ends) found++;
      }
    expect(wrong).toEqual([]);
    expect(found).toBeGreaterThan(50);
  });
});
