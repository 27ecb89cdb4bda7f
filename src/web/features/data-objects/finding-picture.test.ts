import { expect, it } from 'vitest';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import { chooseWindow } from './finding-picture.tsx';

const quality: ScanQuality = {
  ...{ hasContrast: true, contrastToNoise: 20, airGrey: 1000, materials: [{ grey: 2000, share: 1 }] },
  ...{ blurVoxels: 0.6, unevenness: 0.01, gradient: 0, rings: 0, border: [], thinnestWallVoxels: null },
  ...{ thinShare: 0, saturatedShare: 0, lostSlices: 0 },
};

it('a finding’s picture spans the grey values from air to material, or those around the finding', () => {
  expect(chooseWindow(quality, 'thinWalls')).toEqual([850, 2150]);
  expect(chooseWindow({ ...quality, bands: 0.2 }, 'bands')).toEqual([1600, 2400]);
  // A skin is brighter than the material behind it and would otherwise be white like the material.
  expect(chooseWindow({ ...quality, skin: 0.8 }, 'skin')).toEqual([1000, 3200]);
});
