/** Checks 3MF output with independent readers: three.js, and the rules of the core specification and of its packages. */
import { ThreeMFLoader } from 'three/addons/loaders/3MFLoader.js';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { seededRandom } from '#kernels/random.ts';
import { bytesSource } from '../bytes/byte-source.ts';
import { checkZip } from '../testing/check-zip.ts';
import { collect } from '../testing/collect.ts';
import { parseXml } from '../testing/xml-document.ts';
import { write3mf } from './write-3mf.ts';

/** A closed ball with this many bands and a varying radius, with coordinates of all sizes. */
function ball(bands: number, sizeMm: number): TriangleMesh {
  const random = seededRandom(bands);
  const around = 2 * bands;
  const positions = [0, 0, sizeMm];
  for (let j = 1; j < bands; j++) {
    for (let i = 0; i < around; i++) {
      const [theta, phi] = [(Math.PI * j) / bands, (2 * Math.PI * i) / around];
      const radius = sizeMm * (1 + 0.1 * random());
      positions.push(
        radius * Math.sin(theta) * Math.cos(phi),
        radius * Math.sin(theta) * Math.sin(phi),
        radius * Math.cos(theta),
      );
    }
  }
  positions.push(0, 0, -sizeMm);
  const last = positions.length / 3 - 1;
  const vertex = (j: number, i: number) =>
    j === 0 ? 0 : j === bands ? last : 1 + (j - 1) * around + (i % around);
  const indices: number[] = [];
  for (let j = 0; j < bands; j++) {
    for (let i = 0; i < around; i++) {
      const [a, b, c, d] = [vertex(j, i), vertex(j, i + 1), vertex(j + 1, i), vertex(j + 1, i + 1)];
      if (j < bands - 1) indices.push(a, c, d);
      if (j > 0) indices.push(a, d, b);
    }
  }
  return { positions: Float32Array.from(positions), indices: Uint32Array.from(indices) };
}
/** The last mesh has more triangles than are written at once. */
const meshes: [string, TriangleMesh][] = [
  ['a part in mm', ball(12, 17.3)],
  ['one of a micrometre', ball(5, 1e-3)],
  ['one of many vertices', ball(72, 41.9)],
];

/** Six times the enclosed volume, in double precision. */
function volume6(position: (vertex: number) => number[], indices: ArrayLike<number>): number {
  let sum = 0;
  for (let t = 0; t < indices.length; t += 3) {
    const [[ax, ay, az], [bx, by, bz], [cx, cy, cz]] = [0, 1, 2].map((k) => position(indices[t + k]));
    sum += ax * (by * cz - bz * cy) - ay * (bx * cz - bz * cx) + az * (bx * cy - by * cx);
  }
  return sum;
}
const listCorners =
  ({ positions }: TriangleMesh) =>
  (vertex: number) => [...positions.subarray(3 * vertex, 3 * vertex + 3)];

describe('3MF of', () => {
  beforeEach(() => {
    vi.stubGlobal(
      'DOMParser',
      class {
        parseFromString = parseXml;
      },
    );
  });
  afterEach(() => {
    vi.unstubAllGlobals();
  });

  it.each(meshes)('%s is read by three.js, corner by corner', async (_, mesh) => {
    const bytes = await collect(write3mf(mesh));
    const complaints = vi.spyOn(console, 'error');
    const group = new ThreeMFLoader().parse(bytes.slice().buffer);
    expect(complaints).not.toHaveBeenCalled();
    expect(group.children).toHaveLength(1);
    const [object] = group.children;
    expect(object.children).toHaveLength(1);
    const { geometry, matrix } = object.children[0];
    expect(matrix.elements).toEqual([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1]);
    const { array } = geometry?.attributes['position'] ?? { array: [] };
    expect(Float32Array.from(array)).toEqual(mesh.positions);
    expect(Uint32Array.from(geometry?.index?.array ?? [])).toEqual(mesh.indices);
  });

  it.each(meshes)('%s is a package and a model by the letter of the specification', async (_, mesh) => {
    const bytes = await collect(write3mf(mesh));
    const parts = new Map(
      (await checkZip(bytesSource('a.3mf', bytes))).map(({ path, data }) => [
        path,
        new TextDecoder('utf-8', { fatal: true }).decode(data),
      ]),
    );
    const part = (path: string) => parseXml(parts.get(path) ?? '').documentElement;
    // Open Packaging Conventions: every part has a content type, and the package names the model part.
    const types = part('[Content_Types].xml');
    expect(types.getAttribute('xmlns')).toBe('http://schemas.openxmlformats.org/package/2006/content-types');
    const typeOf = new Map(
      types
        .querySelectorAll('Default')
        .map((each) => [each.getAttribute('Extension'), each.getAttribute('ContentType')]),
    );
    for (const path of parts.keys()) {
      if (path !== '[Content_Types].xml') expect(typeOf.has(path.split('.').at(-1) ?? '')).toBe(true);
    }
    expect(typeOf.get('model')).toBe('application/vnd.ms-package.3dmanufacturing-3dmodel+xml');
    const relationships = part('_rels/.rels').querySelectorAll('Relationship');
    const start = relationships.filter(
      (each) => each.getAttribute('Type') === 'http://schemas.microsoft.com/3dmanufacturing/2013/01/3dmodel',
    );
    expect(start).toHaveLength(1);
    const model = part((start[0].getAttribute('Target') ?? '').slice(1));
    // 3MF core: 3.4 model, 4 object resources, 4.1 meshes.
    expect(model.nodeName).toBe('model');
    expect(model.getAttribute('xmlns')).toBe('http://schemas.microsoft.com/3dmanufacturing/core/2015/02');
    expect(model.getAttribute('unit')).toBe('millimeter');
    expect(model.children.map(({ nodeName }) => nodeName)).toEqual(['metadata', 'resources', 'build']);
    const objects = model.querySelectorAll('resources object');
    const ids = objects.map((each) => Number(each.getAttribute('id')));
    expect(ids.every((id) => Number.isInteger(id) && id > 0)).toBe(true);
    expect(new Set(ids).size).toBe(ids.length);
    expect(model.querySelectorAll('build item').map((each) => Number(each.getAttribute('objectid')))).toEqual(
      ids,
    );
    const vertices = model.querySelectorAll('vertices vertex');
    const triangles = model.querySelectorAll('triangles triangle');
    expect(triangles.length).toBeGreaterThanOrEqual(4);
    const number = /^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?$/;
    const corners = vertices.map((each) =>
      ['x', 'y', 'z'].map((axis) => {
        const word = each.getAttribute(axis) ?? '';
        if (!number.test(word)) throw new Error(`${word} is no ST_Number`);
        return Number(word);
      }),
    );
    const indices = triangles.flatMap((each) => ['v1', 'v2', 'v3'].map((k) => Number(each.getAttribute(k))));
    const wings = new Set<number>();
    for (let t = 0; t < indices.length; t += 3) {
      const [a, b, c] = indices.slice(t, t + 3);
      if (a === b || b === c || c === a) throw new Error(`triangle ${t / 3} names a vertex twice`);
      for (const [from, to] of [
        [a, b],
        [b, c],
        [c, a],
      ]) {
        const wing = from * corners.length + to;
        if (!(to < corners.length) || wings.has(wing))
          throw new Error(`the edge ${from} ${to} is there twice`);
        wings.add(wing);
      }
    }
    // Every edge runs in the opposite direction in the adjacent triangle, and normals point outwards.
    const isMatched = (wing: number) =>
      wings.has((wing % corners.length) * corners.length + Math.floor(wing / corners.length));
    expect([...wings].every(isMatched)).toBe(true);
    const enclosed = volume6((vertex) => corners[vertex], indices);
    expect(enclosed).toBeGreaterThan(0);
    expect(enclosed / volume6(listCorners(mesh), mesh.indices)).toBeCloseTo(1, 12);
  });
});
