import { describe, expect, it } from 'vitest';
import { measureMesh } from './measure.ts';

const corners = Float32Array.from([0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1]);
const faces = [
  [0, 2, 1],
  [0, 1, 3],
  [1, 2, 3],
  [0, 3, 2],
];
const measure = (positions: Float32Array, triangles: number[][]) =>
  measureMesh(positions, Uint32Array.from(triangles.flat()));

describe('the volume of a mesh', () => {
  it('is that of a closed surface', () => {
    const facts = measure(corners, faces);
    expect(facts.volumeMm3).toBeCloseTo(1 / 6, 9);
    expect(facts).toMatchObject({ volumeReason: null, watertight: true });
  });

  it('is missing when the surface is open, with the number of open edges', () => {
    const facts = measure(corners, faces.slice(1));
    expect(facts).toMatchObject({ volumeMm3: null, watertight: false, areaMm2: expect.any(Number) });
    expect(facts.volumeReason).toBe('The surface is not closed: 3 edges with one triangle only.');
  });

  it('is missing when more than two triangles meet at an edge', () => {
    const facts = measure(Float32Array.from([...corners, 1, 1, 1]), [...faces, [0, 1, 4]]);
    expect(facts.volumeMm3).toBeNull();
    expect(facts.volumeReason).toMatch(/2 edges with one triangle only, 1 edge with more than two triangles/);
  });

  it('is missing when triangles have opposite orientation', () => {
    const facts = measure(corners, [[0, 1, 2], ...faces.slice(1)]);
    expect(facts.volumeMm3).toBeNull();
    expect(facts.volumeReason).toBe(
      'The surface is not closed: 3 edges whose triangles have opposite orientation.',
    );
  });

  it('is missing for an empty mesh', () => {
    expect(measure(new Float32Array(0), [])).toMatchObject({ volumeMm3: null, watertight: false });
  });
});
