import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/**
 * A mesh as binary little-endian PLY in mm: x y z, nx ny nz if there are normals, then each scalar as a float property
 * with its name (NaN = not measured); faces as lists of three int32.
 */
export function writePly(mesh: TriangleMesh): Uint8Array {
  const { positions, indices, normals } = mesh;
  const vertices = positions.length / 3;
  const triangles = indices.length / 3;
  const scalars = Object.entries(mesh.scalars ?? {});
  const names = ['x', 'y', 'z', ...(normals ? ['nx', 'ny', 'nz'] : []), ...scalars.map(([name]) => name)];
  const header = new TextEncoder().encode(
    [
      'ply',
      'format binary_little_endian 1.0',
      'comment Scanwright; lengths in millimetres',
      'comment SPACE=LPS',
      `element vertex ${vertices}`,
      ...names.map((name) => `property float ${name.replace(/\s+/g, '_')}`),
      `element face ${triangles}`,
      'property list uchar int vertex_indices',
      'end_header',
      '',
    ].join('\n'),
  );
  const columns = [
    { values: positions, width: 3 },
    ...(normals ? [{ values: normals, width: 3 }] : []),
    ...scalars.map(([, values]) => ({ values, width: 1 })),
  ];
  const stride = 4 * names.length;
  const bytes = new Uint8Array(header.length + vertices * stride + triangles * 13);
  bytes.set(header, 0);
  const view = new DataView(bytes.buffer);
  let at = header.length;
  for (let v = 0; v < vertices; v++) {
    for (const { values, width } of columns) {
      for (const value of values.subarray(width * v, width * (v + 1))) {
        view.setFloat32(at, value, true);
        at += 4;
      }
    }
  }
  for (const [i, corner] of indices.entries()) {
    if (i % 3 === 0) view.setUint8(at++, 3);
    view.setInt32(at, corner, true);
    at += 4;
  }
  return bytes;
}

export const plyWriter = async function* (mesh: TriangleMesh): AsyncGenerator<Uint8Array> {
  yield writePly(mesh);
};
