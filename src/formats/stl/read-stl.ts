import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { malformed } from '../format-error.ts';
import { GrowingFloats } from '../mesh/growing-array.ts';
import { weld } from '../mesh/weld.ts';
import { wordsOf } from '../mesh/words.ts';

/**
 * The triangles of a text or binary STL, welded; the facet normals of the file are not used, since the order of the
 * corners says the same and more reliably.
 *
 * @param mmPerFileUnit STL has no unit: how many mm one of its lengths is
 */
export function readStl(bytes: Uint8Array, mmPerFileUnit: number, where: string): TriangleMesh {
  const corners = isBinary(bytes) ? readBinary(bytes, where) : readText(bytes, where);
  if (corners.length === 0) throw malformed(`${where}: the STL file has no triangle.`);
  for (let i = 0; i < corners.length; i++) {
    if (!Number.isFinite(corners[i])) {
      throw malformed(
        `${where}: triangle ${Math.floor(i / 9) + 1} has a coordinate that is not a finite number.`,
      );
    }
  }
  const mesh = weld({
    positions: corners,
    indices: Uint32Array.from({ length: corners.length / 3 }, (_, i) => i),
  });
  if (mmPerFileUnit !== 1) mesh.positions = mesh.positions.map((value) => value * mmPerFileUnit);
  return mesh;
}

/** Some binary files begin with "solid" too, so the size decides first, then the words that a text must have. */
function isBinary(bytes: Uint8Array): boolean {
  if (bytes.length >= 84) {
    const triangles = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(80, true);
    if (bytes.length === 84 + 50 * triangles) return true;
  }
  const head = new TextDecoder('latin1').decode(bytes.subarray(0, 1024)).trimStart();
  return !/^solid/i.test(head) || head.includes('\0');
}

function readBinary(bytes: Uint8Array, where: string): Float32Array {
  if (bytes.length < 84) {
    throw malformed(
      `${where}: the file has ${bytes.length} bytes; a binary STL has 84 and 50 more for each triangle.`,
    );
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const triangles = view.getUint32(80, true);
  if (84 + 50 * triangles > bytes.length) {
    throw malformed(
      `${where}: the binary STL declares ${triangles} triangles, which need ${84 + 50 * triangles} bytes, but the file has ${bytes.length}.`,
    );
  }
  const corners = new Float32Array(9 * triangles);
  for (let t = 0, to = 0; t < triangles; t++) {
    for (let k = 0, at = 84 + 50 * t + 12; k < 9; k++, at += 4) corners[to++] = view.getFloat32(at, true);
  }
  return corners;
}

function readText(bytes: Uint8Array, where: string): Float32Array {
  const values = new GrowingFloats();
  const words = wordsOf(bytes);
  let cornersOfLoop = 0;
  let triangles = 0;
  for (const word of words) {
    switch (word.toLowerCase()) {
      case 'vertex':
        for (let k = 0; k < 3; k++) {
          const next = words.next();
          if (next.done) throw malformed(`${where}: the STL file is cut off in facet ${triangles + 1}.`);
          const value = Number(next.value);
          if (Number.isNaN(value)) {
            throw malformed(
              `${where}: a coordinate of triangle ${triangles + 1} is "${next.value.slice(0, 40)}", which is no number.`,
            );
          }
          values.push(value);
        }
        cornersOfLoop++;
        break;
      case 'endloop':
        triangles++;
        if (cornersOfLoop !== 3) {
          throw malformed(
            `${where}: facet ${triangles} of the STL has ${cornersOfLoop} corners; 3 would be right.`,
          );
        }
        cornersOfLoop = 0;
        break;
    }
  }
  if (cornersOfLoop !== 0) throw malformed(`${where}: the STL file is cut off in facet ${triangles + 1}.`);
  return values.scaled(1);
}
