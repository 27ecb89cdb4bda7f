import { expect, it } from 'vitest';
import { identityDirections } from '#kernels/grid/volume.ts';
import type { DataObject, SurfaceMetadata, VolumeMetadata } from '#web/api/generated/types.gen.ts';
import { mainRows } from './main-rows.ts';

const common = {
  id: 'v',
  projectId: 'p',
  name: 'Scan',
  status: 'completed' as const,
  files: [],
  warnings: [],
  createdByOperation: null,
  createdAt: '2026-01-01T00:00:00Z',
};

it('lists the main properties of a volume first, and all of any other kind', () => {
  const metadata: VolumeMetadata = {
    histogram: { min: 0, max: 1, counts: [1] },
    dataType: 'uint8',
    dimensions: [1, 2, 3],
    voxelSizeMm: [1, 1, 1],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    range: [0, 1],
    isoValue: 0.5,
  };
  const volume: DataObject = { ...common, kind: 'volume', metadata };
  expect(mainRows(volume).map(({ label }) => label)).toEqual([
    'Dimensions',
    'Voxel size',
    'Data type',
    'Range',
    'Iso value',
  ]);
  const levels = { isoValue: 240, airGray: 80, materialGray: 400 };
  const surface: SurfaceMetadata = {
    ...{ key: 'a'.repeat(64), surfaceMode: 'local', noiseFilter: 'none', levelFilter: 'none', ...levels },
    ...{ toldBy: 'depth', oneLevel: 'even', contrastToNoise: 20, blurVoxels: null, algorithms: {} },
  };
  const rows = mainRows({ ...common, kind: 'surface', metadata: surface });
  expect(rows).toContainEqual({ label: 'Levels', value: 'one for the whole part' });
  expect(rows.map(({ label }) => label)).not.toContain('Edge blur');
  const part = { volumeMm3: 1234, areaMm2: 567, closedAt: [], closedAreaMm2: 0, algorithms: {} };
  const measured = mainRows({ ...common, kind: 'surface', metadata: { ...surface, part } });
  expect(measured).toContainEqual({ label: 'Volume', value: '1,234\u202fmm³' });
  const source = { sourceFileName: 'notes.pdf', sourceSha256: 'a'.repeat(64) };
  expect(mainRows({ ...common, kind: 'report', metadata: source })).toHaveLength(2);
});
