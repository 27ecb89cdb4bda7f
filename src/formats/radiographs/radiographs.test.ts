import { describe, expect, it } from 'vitest';
import { identityDirections, makeSlabs, type VoxelArray } from '#kernels/grid/volume.ts';
import { readScanGeometry } from '#kernels/reconstruction/description.ts';
import { virtualDetector } from '#kernels/reconstruction/virtual-detector.ts';
import { type ByteSource, bytesSource } from '../bytes/byte-source.ts';
import { FormatError } from '../format-error.ts';
import { collect } from '../testing/collect.ts';
import { writeTiff } from '../tiff/write-tiff.ts';
import { writeZip, type ZipInput } from '../zip/write-zip.ts';
import { holdsRadiographs, openRadiographs, type RadiographHints } from './open-radiographs.ts';
import { readCtsimuScenario } from './read-ctsimu.ts';

const stack = (data: VoxelArray, count: number) =>
  makeSlabs({
    dimensions: [4, 3, count],
    voxelSizeMm: [1, 1, 1],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType: 'uint16',
    data,
  });
const numbers = (count: number, first: number) =>
  Uint16Array.from({ length: 12 * count }, (_, i) => first + i);
const tiff = (count: number, first: number) => collect(writeTiff(stack(numbers(count, first), count)));
const json = (value: unknown) => new TextEncoder().encode(JSON.stringify(value));
const zip = async (...files: [string, Uint8Array][]): Promise<ByteSource> =>
  bytesSource('scan.zip', await collect(writeZip(files.map(([path, data]): ZipInput => ({ path, data })))));
const told = { sourceToAxisMm: 100, sourceToDetectorMm: 400, pixelSizeMm: 0.2, totalAngleDeg: 360 };
const refusal = async (files: ByteSource, hints?: RadiographHints): Promise<FormatError> => {
  const error: unknown = await openRadiographs([files], hints).catch((thrown: unknown) => thrown);
  if (error instanceof FormatError) return error;
  throw new Error(`no FormatError: ${String(error)}`);
};

describe('a ZIP with projections and a JSON', () => {
  it('is opened with its geometry, and the means of flat and dark images', async () => {
    const files = await zip(
      ['scan/projections/p10.tif', await tiff(1, 1000)],
      ['scan/projections/p9.tif', await tiff(1, 500)],
      ['scan/flats/f1.tif', await tiff(2, 100)],
      ['scan/dark.tif', await tiff(1, 7)],
      ['scan/geometry.json', json({ ...told, flatLevel: 900 })],
    );
    expect(await holdsRadiographs([files])).toBe(true);
    const opened = await openRadiographs([files]);
    expect(opened.projections.grid.dimensions).toEqual([4, 3, 2]);
    expect([...(await opened.projections.readSlab(0, 1))].slice(0, 2)).toEqual([500, 501]);
    expect(opened.geometry).toMatchObject({ beam: 'cone', sourceToAxisMm: 100, totalAngleDeg: 360 });
    expect(opened.pixelSizeMm).toEqual([0.2, 0.2]);
    expect(opened.flats?.count).toBe(2);
    expect([...(opened.flats?.mean ?? [])].slice(0, 2)).toEqual([106, 107]);
    expect(opened.darks?.mean[11]).toBe(18);
    expect(opened.flatLevel).toBe(900);
  });

  it('reads its angles from the JSON or from a list beside it, one for each projection', async () => {
    const projections: [string, Uint8Array] = ['p.tif', await tiff(3, 0)];
    const beside = await openRadiographs([
      await zip(
        projections,
        ['g.json', json(told)],
        ['angles.txt', new TextEncoder().encode('0\n90.5\n200\n')],
      ),
    ]);
    expect(beside.geometry.anglesDeg).toEqual([0, 90.5, 200]);
    const wrong = await zip(projections, ['g.json', json({ ...told, anglesDeg: [0, 1] })]);
    expect((await refusal(wrong)).message).toMatch(/3 projections, but 2 angles/);
  });

  it('names missing geometry values, and accepts them from the user', async () => {
    const files = await zip(['p.tif', await tiff(3, 0)], ['g.json', json({ sourceToDetectorMm: 400 })]);
    const error = await refusal(files);
    expect(error.code).toBe('INPUT_INCOMPLETE');
    expect(error.missing).toEqual(['sourceToAxisMm', 'pixelSizeMm', 'totalAngleDeg']);
    expect(error.message).toContain('how far the axis of rotation is from the source');
    const { beam: _beam, ...given } = { beam: 'cone' as const, ...told };
    expect((await openRadiographs([files], given)).geometry.sourceToAxisMm).toBe(100);
  });

  it('asks for the whole geometry where there are only pictures', async () => {
    const file = bytesSource('stack.tif', await tiff(5, 0));
    expect(await holdsRadiographs([file])).toBe(false);
    const error = await refusal(file);
    expect(error.missing).toEqual([
      'beam',
      'sourceToAxisMm',
      'sourceToDetectorMm',
      'pixelSizeMm',
      'totalAngleDeg',
    ]);
    expect(error.suggested).toMatchObject({ beam: 'cone', totalAngleDeg: 360 });
    // Parallel beams have no source distances.
    const parallel = { beam: 'parallel' as const, pixelSizeMm: 0.01, totalAngleDeg: 180 };
    expect((await openRadiographs([file], parallel)).geometry).toMatchObject({ beam: 'parallel' });
  });

  it('is refused where it contradicts itself', async () => {
    const p: [string, Uint8Array] = ['p.tif', await tiff(3, 0)];
    const beyond = await zip(p, ['g.json', json({ ...told, sourceToDetectorMm: 50 })]);
    expect((await refusal(beyond)).message).toMatch(/50 mm .* must lie beyond the axis/);
    const flat = makeSlabs({ ...(await makeStack(5)), data: new Uint16Array(15) });
    const other = await zip(p, ['flat.tif', await collect(writeTiff(flat))], ['g.json', json(told)]);
    expect((await refusal(other)).message).toMatch(/flat image .* 5 × 3 pixels, the projections have 4 × 3/);
    const none = await zip(['g.json', json(told)]);
    expect((await refusal(none)).message).toMatch(/holds no projections/);
  });

  it('reads the pictures named in the metadata, whatever other files exist', async () => {
    const image = (filename: string, isCorrected = false) => ({
      filename,
      projections_corrected: isCorrected,
    });
    const metadata = (filename: string, flat: unknown, count = 2) =>
      json({
        file: { file_type: 'CTSimU Metadata' },
        output: {
          projections: { filename, number: count, max_intensity: 900, flat_field: flat, dark_field: null },
        },
      });
    const scene = far(scenario());
    Object.assign(scene.acquisition, { number_of_projections: 2, stop_angle: { value: 90 } });
    const files = async (count?: number): Promise<[string, Uint8Array][]> => [
      ['scan.json', json(scene)],
      ['spot.tif', await tiff(1, 3)],
      ['projections/scan_0000.tif', await tiff(1, 1000)],
      ['projections/scan_0001.tif', await tiff(1, 2000)],
      ['projections/bright_0.tif', await tiff(1, 100)],
      ['projections/scan_metadata.json', metadata('scan_%04d.tif', image('bright_%d.tif'), count)],
      ['reconstruction/other_metadata.json', metadata('../elsewhere/x_%04d.tif', image('x.tif'))],
    ];
    const opened = await openRadiographs([await zip(...(await files()))]);
    expect(opened.projections.grid.dimensions).toEqual([4, 3, 2]);
    expect((await opened.projections.readSlab(1, 2))[0]).toBe(2000);
    expect(opened.flats?.mean[0]).toBe(100);
    const flattened = (await files()).map(([path, data]): [string, Uint8Array] => [
      path.replace(/.*\//, ''),
      data,
    ]);
    expect((await openRadiographs([await zip(...flattened)])).flats?.count).toBe(1);
    const corrected: [string, Uint8Array] = [
      'projections/scan_metadata.json',
      metadata('scan_%04d.tif', image('bright_%d.tif', true)),
    ];
    const done = await openRadiographs([await zip(...(await files()).slice(0, 5), corrected)]);
    expect([done.flats, done.flatLevel]).toEqual([null, 900]);
    // A missing projection would shift the angles of all later ones.
    const lacking = (await files()).filter(([path]) => !path.endsWith('0001.tif'));
    expect((await refusal(await zip(...lacking))).message).toMatch(
      /holds 1 projections, but the scan has 2: the angles/,
    );
  });

  it('is still a volume when its JSON is unrelated', async () => {
    expect(
      await holdsRadiographs([
        await zip(['p.tif', await tiff(3, 0)], ['notes.json', json({ operator: 'x' })]),
      ]),
    ).toBe(false);
    expect(await holdsRadiographs([await zip(['p.tif', await tiff(3, 0)], ['broken.json', json('{')])])).toBe(
      false,
    );
  });
});

const makeStack = async (columns: number) => ({
  dimensions: [columns, 3, 1] as [number, number, number],
  voxelSizeMm: [1, 1, 1] as [number, number, number],
  originMm: [0, 0, 0] as [number, number, number],
  directions: identityDirections(),
  dataType: 'uint16' as const,
});

const mm = (value: number) => ({ value, unit: 'mm' });
const at = (x: number, y: number, z: number) => ({ x: mm(x), y: mm(y), z: mm(z) });
const along = (x: number, y: number, z: number) => ({ x: { value: x }, y: { value: y }, z: { value: z } });
const scenario = (deviations: unknown[] = []) => ({
  file: { file_type: 'CTSimU Scenario' },
  geometry: {
    source: { type: 'cone', center: at(0, 0, 0) },
    stage: { center: at(300, 0, 2), vector_u: along(1, 0, 0), vector_w: along(0, 0, 1), deviations },
    detector: { center: at(40, 1, 0), vector_u: along(0, -1, 0), vector_w: along(1, 0, 0), deviations: [] },
  },
  detector: {
    pixel_pitch: { u: mm(1.3), v: { value: 0.13, unit: 'cm' } },
    gray_value: { imax: { value: 60000 } },
  },
  acquisition: {
    start_angle: { value: 0, unit: 'deg' },
    stop_angle: { value: 360, unit: 'deg' },
    direction: 'CCW',
    include_final_angle: true,
  },
});
const far = (json: ReturnType<typeof scenario>) => {
  json.geometry.detector.center = at(400, 1, 0);
  return json;
};

describe('a CTSimU scenario', () => {
  it('transforms source and detector into the rotating frame of the scan', () => {
    const read = readCtsimuScenario(far(scenario()));
    expect(read).toMatchObject({
      sourceToAxisMm: 300,
      sourceToDetectorMm: 400,
      sourceHeightMm: -2,
      sourceAngleDeg: 180,
    });
    expect(read.pixelSizeMm).toEqual([1.3, 1.3]);
    const { beam = 'cone', totalAngleDeg = 0 } = read;
    const { geometry } = readScanGeometry(
      { ...read, beam, totalAngleDeg },
      { columns: 150, rows: 150, projections: 21, pixelSizeMm: [1.3, 1.3] },
    );
    expect(geometry.anglesDeg[1]).toBe(180 - 18);
    expect(geometry.anglesDeg[20]).toBe(-180);
    const detector = virtualDetector(geometry);
    expect(detector).toMatchObject({ sourceToDetectorMm: 400, rowsReversed: true, map: null });
    // Seen from the source, the detector's columns run to the right, and its centre lies 1 mm to the left of the ray.
    expect(detector.across).toBe(1);
    expect(detector.middleColumn).toBeCloseTo(74.5 + 1 / 1.3, 12);
  });

  it('tilts the axis where the scanner does and the reconstruction may know', () => {
    const tilt = {
      type: 'rotation',
      axis: 'x',
      amount: { value: 15, unit: 'deg' },
      known_to_reconstruction: true,
    };
    const { detectorPose } = readCtsimuScenario(far(scenario([tilt])));
    expect(detectorPose?.alongColumns[1]).toBeCloseTo(Math.cos(Math.PI / 12), 4);
    expect(Math.abs(detectorPose?.alongColumns[2] ?? 0)).toBeCloseTo(Math.sin(Math.PI / 12), 4);
    const unknown = readCtsimuScenario(far(scenario([{ ...tilt, known_to_reconstruction: false }])));
    expect(unknown.detectorPose?.alongColumns).toEqual([0, 1, 0]);
  });

  const turn = { value: 0, unit: 'deg', drifts: [{ value: [0, 360], unit: 'deg' }] };
  const gantry = (axis: unknown) => {
    const json = far(scenario());
    const deviations = [{ type: 'rotation', axis, amount: turn, pivot: { x: 300, y: 0, z: 2 } }];
    Object.assign(json.geometry.source, {
      vector_u: along(0, -1, 0),
      vector_w: along(1, 0, 0),
      deviations,
    });
    Object.assign(json.geometry.detector, { deviations });
    Object.assign(json.acquisition, { stop_angle: { value: 0, unit: 'deg' }, number_of_projections: 21 });
    return json;
  };

  it('is the same scan where source and detector rotate around the part instead', () => {
    const { turntable, ...read } = readCtsimuScenario(gantry('z'));
    const { turntable: other, ...stage } = readCtsimuScenario(far(scenario()));
    expect([turntable, other]).toEqual(['clockwise', 'counterclockwise']);
    for (const name of ['sourceToAxisMm', 'sourceToDetectorMm', 'sourceHeightMm', 'totalAngleDeg'] as const)
      expect(read[name]).toBeCloseTo(stage[name] ?? Number.NaN, 9);
  });

  it('has an axis that is not the stage’s where the scanner turns about another, and says how the volume lies', () => {
    const { axisFrame, sourceToAxisMm, detectorPose, sourceToDetectorMm } = readCtsimuScenario(
      gantry(along(1, 0, 1)),
    );
    const half = Math.SQRT1_2;
    expect(axisFrame?.directions.slice(6).map((each) => Number(each.toFixed(9)))).toEqual([
      Number(half.toFixed(9)),
      0,
      Number(half.toFixed(9)),
    ]);
    // The source is at (−300, 0, −2) from the stage.
    expect(sourceToAxisMm).toBeCloseTo(Math.hypot(300, 2) * Math.sin(Math.PI / 4 - Math.atan(2 / 300)), 9);
    expect(sourceToDetectorMm).toBeCloseTo(400 * half, 9);
    expect(detectorPose?.alongColumns[1]).toBeCloseTo(1, 9);
  });

  it('lets the part lie askew where the stage wobbles, as its deviations turn with it', () => {
    const tilt = { type: 'rotation', axis: 'u', amount: { value: 15, unit: 'deg' } };
    const { axisFrame, detectorPose } = readCtsimuScenario(far(scenario([tilt])));
    expect(detectorPose?.alongColumns[1]).toBeCloseTo(1, 9);
    const [sine, cosine] = [Math.sin(Math.PI / 12), Math.cos(Math.PI / 12)];
    for (const [i, part] of [0, sine, cosine].entries())
      expect(axisFrame?.directions[6 + i]).toBeCloseTo(part, 9);
  });

  it('takes deviations along vectors and about pivots, in the world and in the object’s own axes', () => {
    const about = (axis: unknown, pivot?: unknown) => {
      const json = far(scenario());
      const amount = { value: 90, unit: 'deg' };
      Object.assign(json.geometry.detector, { deviations: [{ type: 'rotation', axis, pivot, amount }] });
      return readCtsimuScenario(json).detectorPose;
    };
    // The detector's own w is the world's x.
    const own = about({ u: 0, v: 0, w: 2 });
    expect(own?.alongColumns[2]).toBeCloseTo(-1, 9);
    expect(about(along(3, 0, 0))).toEqual(own);
    expect(about('w')).toEqual(own);
    const moved = about('w', { u: mm(10), v: mm(0), w: mm(0) });
    const still = about('w', { x: 400, y: 1, z: 0 });
    expect(still?.centerMm.map((each) => Number(each.toFixed(9)))).toEqual(
      own?.centerMm.map((each) => Number(each.toFixed(9))),
    );
    expect(
      Math.hypot(...[0, 1, 2].map((k) => (moved?.centerMm[k] ?? 0) - (own?.centerMm[k] ?? 0))),
    ).toBeCloseTo(10 * Math.SQRT2, 9);
  });

  it('reads the poses of source and detector at each projection when they drift off the circle', () => {
    const drifting = far(scenario());
    const value = (x: number, drift: number[], isKnown = true) => ({
      value: x,
      unit: 'mm',
      drifts: [{ value: drift, unit: 'mm', known_to_reconstruction: isKnown }],
    });
    Object.assign(drifting.detector, { columns: { value: 150 }, rows: { value: 150 } });
    Object.assign(drifting.acquisition, { number_of_projections: 21 });
    Object.assign(drifting.geometry.source.center, { y: value(0, [0, 3]) });
    Object.assign(drifting.geometry.detector.center, { z: value(0, [0, -2]) });
    const read = readCtsimuScenario(drifting);
    const detector = {
      columns: 150,
      rows: 150,
      projections: 21,
      pixelSizeMm: [1.3, 1.3] as [number, number],
    };
    const { geometry } = readScanGeometry(
      { ...read, beam: 'cone', totalAngleDeg: 360 },
      detector,
      read.views,
    );
    expect(geometry.views).toHaveLength(21);
    const last = geometry.views?.at(-1);
    // After a full turn of the stage, the last projection has the geometry of the first, except for the drifts.
    const first = geometry.views?.[0];
    const moved = (a: readonly number[] = [], b: readonly number[] = []) =>
      Math.hypot(...a.map((each, k) => each - (b[k] ?? Number.NaN)));
    expect(moved(last?.sourceMm, first?.sourceMm)).toBeCloseTo(3, 6);
    expect(moved(last?.detector.centerMm, first?.detector.centerMm)).toBeCloseTo(2, 6);
    // The axis is the rotation axis of the first views, as close to the stage's axis as the drift allows.
    expect(Math.abs((virtualDetector(geometry).views?.[0]?.sourceToAxisMm ?? 0) - 300)).toBeLessThan(1);
    Object.assign(drifting.geometry.source.center, { y: value(0, [0, 3], false) });
    Object.assign(drifting.geometry.detector.center, { z: value(0, [0, -2], false) });
    expect(readCtsimuScenario(drifting).views).toBeUndefined();
  });

  it('is refused with a message where it leaves the circle too far for a drift, or nothing rotates', () => {
    const helix = far(scenario());
    Object.assign(helix.detector, { columns: { value: 150 }, rows: { value: 150 } });
    const height = { value: 2, unit: 'mm', drifts: [{ value: [-100, 100], unit: 'mm' }] };
    Object.assign(helix.geometry.stage.center, { z: height });
    expect(() => readCtsimuScenario(helix)).toThrow(
      /moves by 200 mm along the axis, as on a helix.* \(15 mm\)/,
    );
    const nearing = far(scenario());
    const drifts = [{ value: [0, 60], unit: 'mm' }];
    Object.assign(nearing.geometry.source.center, { x: { value: 0, unit: 'mm', drifts } });
    expect(() => readCtsimuScenario(nearing)).toThrow(
      /distance of the source from the axis changes by 60 mm/,
    );
    Object.assign(height.drifts[0] ?? {}, { known_to_reconstruction: false });
    expect(readCtsimuScenario(helix).sourceHeightMm).toBeCloseTo(-2, 9);
    const still = far(scenario());
    Object.assign(still.acquisition, { stop_angle: { value: 0, unit: 'deg' } });
    expect(() => readCtsimuScenario(still)).toThrow(/nothing turns about the part/);
    Object.assign(height, { drifts: [{ file: 'drift.tsv' }] });
    expect(() => readCtsimuScenario(helix)).toThrow(/drift whose values stand in another file/);
  });

  it('is refused with the name of the unsupported or missing field', () => {
    const broken = far(scenario());
    Object.assign(broken.geometry.stage, { center: {} });
    expect(() => readCtsimuScenario(broken)).toThrow(/where the stage is/);
    expect(() => readCtsimuScenario(far(scenario([{ type: 'rotation', axis: 'q' }])))).toThrow(
      /stage deviates/,
    );
  });

  it('is refused for an impossible number of projections, and for lengths that overflow', () => {
    for (const count of [1, 2.5, 2 ** 31, 1e308]) {
      const json = far(scenario());
      Object.assign(json.acquisition, { number_of_projections: count });
      expect(() => readCtsimuScenario(json)).toThrow(/2 to 100000 would be right/);
    }
    const endless = far(scenario());
    Object.assign(endless.acquisition, { stop_angle: { value: 1e308, unit: 'rad' } });
    expect(() => readCtsimuScenario(endless)).toThrow(/too large/);
    const named = far(scenario([{ type: 'translation', axis: 'constructor', amount: mm(1) }]));
    expect(() => readCtsimuScenario(named)).toThrow(/stage deviates/);
  });
});
