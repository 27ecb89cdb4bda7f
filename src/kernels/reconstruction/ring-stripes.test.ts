import { describe, expect, it } from 'vitest';
import { inlinePool } from '../pool.ts';
import { kernelModule } from '../testing/kernel-module.ts';
import { type PolychromaticScan, simulatePolychromatic } from '../testing/polychromatic.ts';
import { anglesOver, type RayBody } from '../testing/radiographs.ts';
import { reconstructed } from '../testing/reconstructed.ts';
import { plainDetector, type ScanGeometry } from './geometry.ts';

const pool = inlinePool(await kernelModule());

const geometry: ScanGeometry = {
  ...{ beam: 'cone', sourceToAxisMm: 150, sourceToDetectorMm: 450, columns: 64, rows: 24 },
  pixelSizeMm: [2.4, 2.4],
  anglesDeg: anglesOver(360, 90),
  detector: plainDetector(150, 450),
  isPoseGiven: true,
};

/** Faces around the axis, which look like rings, and a pore. */
const cylinder = (radiusMm: number, attenuation: number): RayBody => ({
  ...{ kind: 'cylinder', attenuation, center: [0, 0, 0], radiusMm, heightMm: 14 },
});
const tube = [
  cylinder(18, 1),
  cylinder(7, -1),
  {
    ...{ kind: 'ellipsoid', attenuation: -1, center: [12, 2, 0] },
    radiiMm: [2.5, 2.5, 2.5],
  } satisfies RayBody,
];

const scanTube = (errors: Partial<PolychromaticScan>) =>
  simulatePolychromatic({
    geometry,
    bodies: tube.map((body) => ({ material: 'plastic', body })),
    ...{ singleKev: 70, photons: 30_000 },
    ...errors,
  });

/** Root mean square difference of two volumes. */
const differ = (a: Float32Array, b: Float32Array) =>
  Math.sqrt(a.reduce((sum, value, i) => sum + (value - b[i]) ** 2, 0) / a.length);

describe('the ring correction', () => {
  it('leaves a tube about the axis unchanged without pixel errors', async () => {
    const radiographs = await scanTube({});
    const [plain, corrected] = [
      await reconstructed(radiographs, pool),
      await reconstructed(radiographs, pool, { ringCorrection: true }),
    ];
    expect(corrected.facts.ringLevel).toBeNull();
    expect(corrected.values).toEqual(plain.values);
  });

  it.each([0.005, 0.02])(
    'removes half of the rings caused by errors of %f, and reports their size',
    async (gainError) => {
      const [clean, ringed] = [await scanTube({}), await scanTube({ gainError })];
      const truth = await reconstructed(clean, pool);
      const before = await reconstructed(ringed, pool);
      const after = await reconstructed(ringed, pool, { ringCorrection: true });
      expect(after.facts.ringLevel).toBeCloseTo(gainError, gainError === 0.02 ? 2 : 3);
      expect(differ(after.values, truth.values)).toBeLessThan(0.5 * differ(before.values, truth.values));
    },
  );

  it('removes the error of a full column, and no faces that look like it', async () => {
    const radiographs = await scanTube({});
    const [columns, rows, count] = radiographs.projections.grid.dimensions;
    const counts = (await radiographs.projections.readSlab(0, count)).slice();
    for (let i = 46; i < counts.length; i += columns) counts[i] *= 0.97;
    const readSlab = async (from: number, to: number) =>
      counts.slice(from * columns * rows, to * columns * rows);
    const ringed = { ...radiographs, projections: { ...radiographs.projections, readSlab } };
    const truth = await reconstructed(radiographs, pool);
    const before = await reconstructed(ringed, pool);
    const after = await reconstructed(ringed, pool, { ringCorrection: true });
    expect(differ(after.values, truth.values)).toBeLessThan(0.2 * differ(before.values, truth.values));
  });
});
