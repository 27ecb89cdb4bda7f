import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { boundVolumeDeviation } from '#formats/cad/cad-model.ts';
import { readFaceRanges, writeFaceRanges } from '#formats/cad/face-ranges.ts';
import { buildIges, tubeAndPlateArea } from '#formats/testing/build-iges.ts';
import { type Block, blockArea, blockVolume, buildStep } from '#formats/testing/build-step.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import { readCadFile } from './read-cad.ts';

const block: Block = { size: [40, 30, 20], holeRadius: 8 };
const read = (text: string | Uint8Array, deflectionMm?: number, format: 'step' | 'iges' = 'step') =>
  readCadFile({
    format,
    bytes: typeof text === 'string' ? new TextEncoder().encode(text) : text,
    name: 'part.stp',
    deflectionMm,
  });
const readFacts = ({ mesh }: Awaited<ReturnType<typeof read>>) => measureMesh(mesh.positions, mesh.indices);

describe('a STEP file', () => {
  it.each([
    ['AP203', 'mm', 1],
    ['AP214', 'inch', 25.4],
    ['AP242', 'm', 1000],
  ] as const)('of %s in %s comes in mm, closed, with its faces', async (schema, unit, mm) => {
    const model = await read(buildStep({ ...block, schema, unit }), 0.01 * mm);
    const facts = readFacts(model);
    expect(facts).toMatchObject({ watertight: true, components: 1 });
    expect(Math.abs((facts.volumeMm3 ?? Number.NaN) / (blockVolume(block) * mm ** 3) - 1)).toBeLessThan(
      0.001,
    );
    expect(Math.abs(facts.areaMm2 / (blockArea(block) * mm ** 2) - 1)).toBeLessThan(0.001);
    expect(model).toMatchObject({ unit, bodies: 1, deflectionMm: 0.01 * mm });
    expect(model.faceNames).toHaveLength(7);
    expect(new Set(model.faces).size).toBe(7);
    expect(model.faces).toHaveLength(model.mesh.indices.length / 3);
  });

  it('reports the possible error of its triangulated volume, to which flat faces add nothing', async () => {
    for (const deflectionMm of [1, 0.1, 0.01]) {
      const model = await read(buildStep({ ...block, schema: 'AP214' }), deflectionMm);
      const off = Math.abs((readFacts(model).volumeMm3 ?? Number.NaN) - blockVolume(block));
      const bound = boundVolumeDeviation(model);
      expect(off).toBeGreaterThan(0);
      expect(off).toBeLessThan(bound);
      // The wall of the hole alone is curved.
      expect(bound / deflectionMm / (2 * Math.PI * block.holeRadius * block.size[2])).toBeCloseTo(1, 1);
    }
  });

  it.each(['AP203', 'AP214', 'AP242'] as const)(
    'of %s that is an assembly comes with each of its bodies where it stands',
    async (schema) => {
      const placed = [
        { at: [0, 0, 0], along: [1, 0, 0] },
        { at: [5, 0, 0], along: [0, 1, 0] },
      ];
      const small: Block = { size: [4, 3, 2], holeRadius: 0.8, unit: 'inch' };
      const model = await read(buildStep({ ...small, schema, placed }), 0.1);
      const facts = readFacts(model);
      expect(model.bodies).toBe(2);
      expect(facts).toMatchObject({ watertight: true, components: 2 });
      expect(
        Math.abs((facts.volumeMm3 ?? Number.NaN) / (2 * blockVolume(small) * 25.4 ** 3) - 1),
      ).toBeLessThan(0.001);
      expect(model.faceNames).toHaveLength(14);
      expect(new Set(model.faces).size).toBe(14);
      const ends = (axis: number, from: number, to: number) => {
        const values = model.mesh.positions.filter((_, i) => i % 3 === axis);
        expect(Math.min(...values)).toBeCloseTo(from * 25.4, 3);
        expect(Math.max(...values)).toBeCloseTo(to * 25.4, 3);
      };
      // The second is turned by a quarter: it is as wide as the first is deep.
      ends(0, -2, 6.5);
      ends(1, -2, 2);
      ends(2, -1, 1);
    },
  );

  it('is triangulated within the requested distance from its surface', async () => {
    for (const deflectionMm of [0.5, 0.02]) {
      const { mesh, faces } = await read(buildStep(block), deflectionMm);
      let most = 0;
      for (let t = 0; t < faces.length; t++) {
        if (faces[t] !== 6) continue;
        // A chord is furthest from the circle in its middle.
        for (let k = 0; k < 3; k++) {
          const [a, b] = [mesh.indices[3 * t + k], mesh.indices[3 * t + ((k + 1) % 3)]];
          const middle = [0, 1].map(
            (axis) => (mesh.positions[3 * a + axis] + mesh.positions[3 * b + axis]) / 2,
          );
          most = Math.max(most, Math.abs(Math.hypot(...middle) - block.holeRadius));
        }
      }
      expect(most).toBeLessThanOrEqual(deflectionMm);
      expect(most).toBeGreaterThan(0);
    }
  });

  it.each([
    ['CARTESIAN_POINT', '(-20.,-15.,-10.)', '(-20.,-1.E60,-10.)', 'coordinate of -1.E60 that is too large'],
    ['CARTESIAN_POINT', '(0.,0.,-10.)', '(0.,0.,1.E308)', 'coordinate of 1.E308 that is too large'],
    ['CARTESIAN_POINT', '(0.,0.,-10.)', '(0.,0.,10000001.)', 'coordinate of 10000001. that is too large'],
    ['CYLINDRICAL_SURFACE', ',8.)', ',1.E12)', 'radius of 1.E12 that is too large'],
    ['CIRCLE', ',8.)', ',1.E400)', 'radius of 1.E400 that is too large'],
    ['CIRCLE', ',8.)', ',1.E-308)', 'radius of 1.E-308 that is too small'],
    ['DIRECTION', '(1.,0.,0.)', '(1.E-308,0.,0.)', 'direction of 1.E-308, 0., 0. that is too small'],
    ['DIRECTION', '(0.,0.,1.)', '(1.E308,0.,1.)', 'direction of 1.E308 that is too large'],
    ['VECTOR', ',1.)', ',1.E-308)', 'length of 1.E-308 that is too small'],
  ])('with a %s whose %s became %s is refused with its entity number', async (type, from, to, what) => {
    const lines = buildStep({ ...block, unit: 'mm' }).split('\n');
    const at = lines.findIndex((line) => line.includes(type) && line.includes(from));
    lines[at] = lines[at].replace(from, to);
    await expect(read(lines.join('\n'))).rejects.toMatchObject({
      code: 'MALFORMED',
      message: `part.stp: ${lines[at].split('=')[0]} has a ${what}. Export it again.`,
    });
  });

  it('may have coordinates rounded near 0, and strings that look like numbers', async () => {
    const noisy = buildStep(block)
      .replaceAll('0.,0.,-10.)', '4.9E-324,-1.E-33,-10.)')
      .replace("CARTESIAN_POINT('',", "CARTESIAN_POINT('a;(1.E308)',");
    expect(await read(noisy)).toMatchObject({ faceNames: { length: 7 } });
  });

  it('reports how many of its faces are missing', async () => {
    const whole = buildStep(block);
    expect(await read(whole)).toMatchObject({ definedFaces: 7, faceNames: { length: 7 } });
    const broken = whole.replace(/CYLINDRICAL_SURFACE\('',#\d+,/, "CYLINDRICAL_SURFACE('',$,");
    const { definedFaces, faceNames } = await read(broken);
    expect([definedFaces, faceNames.length]).toEqual([7, 6]);
  });

  it('is refused with a message if it is truncated, without surfaces, or not STEP at all', async () => {
    const whole = buildStep(block);
    for (const text of [
      whole.slice(0, whole.length / 2),
      'ISO-10303-21;\n',
      '\0\0\0',
      whole.replaceAll(/#\d+=CLOSED_SHELL[^;]*;\n/g, ''),
    ]) {
      await expect(read(text)).rejects.toMatchObject({
        code: 'MALFORMED',
        message: expect.stringContaining('part.stp'),
      });
    }
  });
});

it.each([
  ['mm', 1],
  ['inch', 25.4],
] as const)(
  'an IGES file in %s comes in mm, with its faces and as fine as was asked for',
  async (unit, mm) => {
    const shape = { radius: 3, height: 10, plate: [4, 6] as const, unit };
    const areas: number[] = [];
    for (const share of [0.02, 0.002]) {
      const model = await read(buildIges(shape), share * mm, 'iges');
      expect(model).toMatchObject({ unit, deflectionMm: share * mm });
      expect(model.faceNames).toHaveLength(2);
      expect(new Set(model.faces).size).toBe(2);
      areas.push(readFacts(model).areaMm2 / (tubeAndPlateArea(shape) * mm ** 2));
      const plate = model.mesh.positions.filter((_, i) => i % 3 === 0).reduce((a, b) => Math.max(a, b));
      expect(plate / mm).toBeCloseTo(19, 4);
    }
    expect(Math.abs(areas[1] - 1)).toBeLessThan(0.001);
    expect(areas[1]).toBeGreaterThan(areas[0]);
  },
);

it('reads ranges of faces as they were written', () => {
  const faces = Uint32Array.of(0, 0, 1, 3, 3, 3);
  const names = ['a', 'a', 'none of its triangles has an area', 'b'];
  expect(readFaceRanges(writeFaceRanges(faces, names))).toEqual({ faces, faceNames: names });
  for (const text of ['', '{}', '{"triangles":[-1],"names":[""]}'])
    expect(() => readFaceRanges(new TextEncoder().encode(text))).toThrow(/CAD faces/);
});

const folder = `${resolve(process.env['SCANWRIGHT_DATA'] ?? '../shared/data')}/`;
/** Measured by Open CASCADE's own mass properties, in mm³ and mm². */
const measured: [file: string, volumeMm3: number, areaMm2: number | null, bodies: number][] = [
  ['screw.step', 3788.27, 1929.33, 1],
  ['io1-cm-214.stp', 78234.4, 21137.4, 1],
  ['as1-oc-214.stp', 764520, 141079, 18],
  ['cuboid.step', 98322.4, 14193.5, 1],
  ['abstract_pca.step', 563.446, null, 2],
  ['lens-clamp-A.step', 51377.6, 17162.4, 1],
  ['revolved_sphere.step', 523.599, 314.159, 1],
  ['tet.step', 2666.67, 1385.64, 1],
];
describe.skipIf(!existsSync(`${folder}cad`))('CAD files of others', () => {
  it.each(measured)(
    '%s has the volume and area that were measured elsewhere',
    async (file, volume, area, bodies) => {
      const model = await read(await readFile(`${folder}cad/${file}`));
      const facts = readFacts(model);
      expect(Math.abs((facts.volumeMm3 ?? Number.NaN) / volume - 1)).toBeLessThan(0.002);
      if (area !== null) expect(Math.abs(facts.areaMm2 / area - 1)).toBeLessThan(0.002);
      expect(model.bodies).toBe(bodies);
    },
  );

  it.each(['Lh002.stp', 'missing_and_required.p21', 'select_segfault_210e3.stp'])(
    'malformed/%s is refused with a sentence',
    async (file) => {
      await expect(read(await readFile(`${folder}malformed/step/${file}`))).rejects.toMatchObject({
        code: 'MALFORMED',
      });
    },
  );

  it('reads an IGES file of surfaces with its faces', async () => {
    const model = await read(await readFile(`${folder}cad/hammer.iges`), undefined, 'iges');
    expect(model.faceNames).toHaveLength(45);
    expect(Math.abs(readFacts(model).areaMm2 / 3.977e8 - 1)).toBeLessThan(0.002);
  });
});
