import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Measurement } from '#contract/shapes/measurement.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { type TestService, testService } from '../../testing/service.ts';

let service: TestService;
beforeAll(async () => {
  service = await testService();
});
afterAll(() => service.close());

const quality = {
  hasContrast: true,
  contrastToNoise: 25,
  airGrey: 0,
  materials: [],
  blurVoxels: 1,
  unevenness: null,
  gradient: null,
  rings: null,
  border: [],
  thinnestWallVoxels: null,
  thinShare: 0,
  saturatedShare: 0,
  lostSlices: 0,
};
type Answer = Measurement & { code: string; field: string; detail: string };

async function scanned(found: object = {}) {
  const { id: projectId } = await service.project();
  const content = exampleContent('volume', {
    voxelSizeMm: [0.1, 0.1, 0.1],
    quality: { ...quality, ...found },
  });
  const [volume] = await service.db
    .insert(dataObjects)
    .values({ projectId, ...content, name: 'Scan' })
    .returning();
  const url = `/api/v2/projects/${projectId}/measurements`;
  const measure = (kind: string, fields: object, token = service.token) =>
    service.ask<Answer>('POST', url, { dataObjectId: volume.id, name: kind, kind, ...fields }, { token });
  return { projectId, url, measure };
}
const change = (method: 'GET' | 'PATCH' | 'DELETE', id: string, body?: object, token = service.token) =>
  service.ask<Answer>(method, `/api/v2/measurements/${id}`, body, { token });

/** In voxels, at 0.7 of the scan's blur of one voxel; in mm for voxels of 0.1 mm. */
const [gridError, levelMm] = [0.062 / (1 + 1.4 ** 2.4), 0.1 * 0.003 * Math.sqrt(2 * Math.PI)];

const square = (z: number) => [
  [0, 0, z],
  [9, 0, z],
  [9, 9, z],
  [0, 9, z],
  [4, 5, z],
];
const ring = Array.from({ length: 12 }, (_, i) => [5 + 2 * Math.cos(i), 2 * Math.sin(i), 1]);

test('the values are computed from the points, and recomputed when these move', async () => {
  const { measure, url } = await scanned();
  const points = [
    [0, 0, 0],
    [0, 3, 4],
  ];
  const { status, body } = await measure('distance', { points, placement: 'edge' });
  const [value] = body.result.values;
  expect([status, value]).toMatchObject([201, { quantity: 'distance', value: 5, unit: 'mm' }]);
  // Computed by hand: 0.1 mm voxels; per point √(2π) / 25 voxels from noise, plus the grid; the level; two points; k = 2.
  const random = 0.1 * Math.hypot(Math.sqrt(2 * Math.PI) / 25, gridError);
  expect(value?.uncertainty?.expanded).toBeCloseTo(2 * Math.hypot(Math.SQRT2 * random, 2 * levelMm), 9);
  expect(body.result.provenance).toMatchObject({ dataObjectName: 'Scan', voxelSizeMm: [0.1, 0.1, 0.1] });
  expect(body.result.method).toMatch(/noise, blur/);
  const moved = await change('PATCH', body.id, {
    name: 'Width',
    points: [
      [0, 0, 0],
      [0, 0, 7],
    ],
    placement: 'free',
  });
  expect(moved.body).toMatchObject({ name: 'Width', result: { values: [{ value: 7, uncertainty: null }] } });
  const list = await service.ask<{ results: Measurement[] }>('GET', url, undefined, { token: service.token });
  expect(list.body.results).toEqual([moved.body]);
  expect((await change('DELETE', body.id)).status).toBe(204);
  expect((await change('GET', body.id)).status).toBe(404);
});

test('points moved onto a surface have the same uncertainty as points placed there', async () => {
  const { measure, projectId } = await scanned();
  const content = exampleContent('mesh');
  const [mesh] = await service.db
    .insert(dataObjects)
    .values({ projectId, ...content, name: 'Skin' })
    .returning();
  const points = [
    [0, 0, 0],
    [0, 3, 4],
  ];
  const { body } = await measure('distance', { points });
  expect(body.result.values[0]?.uncertainty).toBeNull();
  const snapped = await change('PATCH', body.id, { points, placement: 'surface', surfaceId: mesh.id });
  expect(snapped.body).toMatchObject({ surfaceId: mesh.id, result: { provenance: { surfaceName: 'Skin' } } });
  expect(snapped.body.result.values[0]?.uncertainty?.expanded).toBeGreaterThan(0);
  const back = await change('PATCH', body.id, { placement: 'free', surfaceId: null });
  expect(back.body).toMatchObject({ surfaceId: null, result: { values: [{ value: 5, uncertainty: null }] } });
  const other = await scanned();
  const { body: strange } = await other.measure('distance', { points });
  expect((await change('PATCH', body.id, { surfaceId: strange.dataObjectId })).status).toBe(404);
});

test('an area has the uncertainty of its corners, or states why it has none', async () => {
  const { measure, projectId, url } = await scanned();
  const points = square(0).slice(0, 4);
  const { body } = await measure('area', { points, placement: 'surface' });
  const [area, perimeter] = body.result.values;
  expect([area?.quantity, area?.value, perimeter?.value]).toEqual(['area', 81, 36]);
  // Each corner contributes half of its diagonal, 9/√2 mm: noise and the grid in quadrature, and the level.
  const random = 0.1 * Math.hypot(Math.sqrt(2 * Math.PI) / 25, gridError);
  const slope = 9 / Math.SQRT2;
  expect(area?.uncertainty?.expanded).toBeCloseTo(2 * slope * Math.hypot(2 * random, 4 * levelMm), 4);
  const free = await measure('area', { points });
  expect(free.body.result.values[0]?.uncertainty).toBeNull();
  expect(free.body.result.method).toContain('not all points lie on the determined surface');
  const [mesh] = await service.db
    .insert(dataObjects)
    .values({ projectId, ...exampleContent('mesh'), name: 'Skin' })
    .returning();
  const body2 = { dataObjectId: mesh.id, name: 'Face', kind: 'area', points, placement: 'surface' };
  const ofMesh = await service.ask<Answer>('POST', url, body2, { token: service.token });
  expect(ofMesh.body.result.method).toContain('a mesh does not say how exact it is');
});

test('a circle fitted to points has a diameter, a form error and a method', async () => {
  const { measure } = await scanned();
  const { body } = await measure('circle', { points: ring, placement: 'surface' });
  const [diameter, radius, form] = body.result.values;
  expect(diameter?.value).toBeCloseTo(4, 9);
  expect(radius?.value).toBeCloseTo(2, 9);
  expect([form?.quantity, Math.round(1e6 * (form?.value ?? 1))]).toEqual(['formError', 0]);
  expect(body.result.feature).toMatchObject({ kind: 'circle', pointCount: 12 });
  expect(body.result.method).toMatch(/^Least squares of the distances of 12 points from the circle/);
});

test('a distance between features is recomputed with them, and prevents their deletion', async () => {
  const { measure } = await scanned();
  const [{ body: low }, { body: high }] = await Promise.all([
    measure('plane', { points: square(0), placement: 'edge' }),
    measure('plane', { points: square(3), placement: 'edge' }),
  ]);
  const { body } = await measure('featureDistance', { featureIds: [low.id, high.id] });
  expect(body.result.values[0]?.value).toBeCloseTo(3, 9);
  expect(body.result.values[0]?.uncertainty?.expanded).toBeGreaterThan(0);
  await change('PATCH', high.id, { points: square(4) });
  expect((await change('GET', body.id)).body.result.values[0]?.value).toBeCloseTo(4, 9);
  const refused = await change('DELETE', low.id);
  expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining('featureDistance')]);
  await change('DELETE', body.id);
  expect((await change('DELETE', low.id)).status).toBe(204);
});

test('a scan that shifts faces by an unknown amount gives no uncertainty, and the method states why', async () => {
  const { measure } = await scanned({ doubleShare: 0.6 });
  const [{ body: low }, { body: high }] = await Promise.all([
    measure('plane', { points: square(0), placement: 'surface' }),
    measure('plane', { points: square(3), placement: 'surface' }),
  ]);
  const { body } = await measure('featureDistance', { featureIds: [low.id, high.id] });
  for (const { result } of [low, body]) {
    expect(result.values.map(({ uncertainty }) => uncertainty)).toEqual([null]);
    expect(result.method).toMatch(/No uncertainty, because .* Edges rise in two steps/);
  }
  expect(low.result.provenance.pointUncertaintyMm).toBeNull();
});

test('edges shifted inward by a known amount widen the interval of a distance', async () => {
  const points = [
    [0, 0, 0],
    [0, 3, 4],
  ];
  const read = async (edgesInwardVoxels: number) => {
    const { measure } = await scanned({ edgesInwardVoxels });
    const { body } = await measure('distance', { points, placement: 'surface' });
    return body.result.values[0]?.uncertainty?.expanded ?? Number.NaN;
  };
  // 0.55 of the shift at each end, k = 2: blur of a pixel moved faces by 0.07 voxels.
  expect((await read(0.1)) ** 2 - (await read(0)) ** 2).toBeCloseTo((2 * 2 * 0.55 * 0.1 * 0.1) ** 2, 9);
});

test('points that do not determine a value are refused, naming the field', async () => {
  const { measure } = await scanned();
  const other = await scanned();
  const { body: plane } = await other.measure('plane', { points: square(0) });
  const refused = async (kind: string, fields: object) => {
    const { status, body } = await measure(kind, fields);
    return [status, `${body.field}: ${body.detail}`];
  };
  expect(await refused('distance', { points: [[1, 1, 1]] })).toEqual([
    400,
    expect.stringMatching(/^points: .*takes 2 points; there are 1/),
  ]);
  expect(await refused('sphere', { points: square(1) })).toEqual([
    400,
    expect.stringMatching(/^points: .*in one plane/),
  ]);
  expect(await refused('featureAngle', { featureIds: [plane.id, plane.id] })).toEqual([
    400,
    expect.stringMatching(/^featureIds: /),
  ]);
  expect(
    await refused('distance', {
      points: [
        [0, 0, 0],
        [1, 0, 0],
      ],
      featureIds: [plane.id],
    }),
  ).toEqual([400, expect.stringMatching(/^featureIds: /)]);
  // Features of another project are not found.
  const { body: own } = await measure('plane', { points: square(0) });
  expect(await refused('featureAngle', { featureIds: [own.id, plane.id] })).toEqual([
    404,
    expect.stringMatching(/^featureIds: /),
  ]);
  expect(
    await refused('distance', {
      points: [
        [0, 0, 0],
        [1, 0, 0],
      ],
      dataObjectId: plane.dataObjectId,
    }),
  ).toEqual([404, expect.stringMatching(/^dataObjectId: /)]);
});

test('a viewer can read but not measure; a stranger finds nothing; an archived project accepts none', async () => {
  const { measure, projectId, url } = await scanned();
  const points = [
    [0, 0, 0],
    [1, 0, 0],
  ];
  const { body } = await measure('distance', { points });
  const { token } = await service.member({ role: 'viewer' });
  const { token: strange } = await service.stranger();
  expect((await change('GET', body.id, undefined, token)).status).toBe(200);
  expect((await measure('distance', { points }, token)).status).toBe(403);
  expect((await change('DELETE', body.id, undefined, token)).status).toBe(403);
  expect((await change('GET', body.id, undefined, strange)).status).toBe(404);
  expect((await measure('distance', { points }, strange)).status).toBe(404);
  expect((await service.ask('GET', url, undefined, { token: strange })).status).toBe(404);
  await service.ask('POST', `/api/v2/projects/${projectId}/archive`, undefined, { token: service.token });
  expect((await measure('distance', { points })).body.code).toBe('PROJECT_ARCHIVED');
  expect((await change('PATCH', body.id, { name: 'x' })).body.code).toBe('PROJECT_ARCHIVED');
});

test('a grey curve and removed rings widen the interval of a distance', async () => {
  const points = [
    [0, 0, 0],
    [0, 3, 4],
  ];
  const find = async (found: object) => {
    const { measure } = await scanned(found);
    const { body } = await measure('distance', { points, placement: 'edge' });
    return body.result.values[0]?.uncertainty?.expanded ?? 0;
  };
  const plain = await find({});
  expect(await find({ greyShift: 0.1 })).toBeGreaterThan(1.2 * plain);
  expect(await find({ viewDoubts: ['RINGS_REMOVED'] })).toBeGreaterThan(1.05 * plain);
});
