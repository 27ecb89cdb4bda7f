import { GrowingFloats } from '#kernels/mesh/growing-array.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { weld } from '#kernels/mesh/weld.ts';
import { malformed } from '../format-error.ts';
import { listLines, markLength } from '../mesh/words.ts';

/**
 * The triangles of a text or binary STL, welded. Facet normals are ignored, because the order of the corners is more
 * reliable.
 *
 * @param mmPerFileUnit mm per unit of the file, as STL states none
 */
export function readStl(bytes: Uint8Array, mmPerFileUnit: number, where: string): TriangleMesh {
  const corners = isBinary(bytes) ? readBinary(bytes, where) : readText(bytes, where);
  if (corners.length === 0) throw malformed(`${where}: the STL file has no triangle.`);
  const broken = corners.findIndex((value) => !Number.isFinite(value));
  if (broken >= 0) {
    throw malformed(
      `${where}: triangle ${Math.floor(broken / 9) + 1} has a coordinate that is not a finite number.`,
    );
  }
  const mesh = weld({
    positions: corners,
    indices: Uint32Array.from({ length: corners.length / 3 }, (_, i) => i),
  });
  if (mmPerFileUnit !== 1) mesh.positions = mesh.positions.map((value) => value * mmPerFileUnit);
  return mesh;
}

/** Some binary files begin with "solid" too, so the size decides first, then the words required in text. */
function isBinary(bytes: Uint8Array): boolean {
  if (bytes.length >= 84) {
    const triangles = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(80, true);
    if (bytes.length === 84 + 50 * triangles) return true;
  }
  const head = new TextDecoder('latin1').decode(bytes.subarray(markLength(bytes), 1024)).trimStart();
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
  let triangles = 0;
  let corners = 0;
  /** numbers still missing for the vertex */
  let missing = 0;
  let open: 'nothing' | 'solid' | 'facet' = 'nothing';
  for (const line of listLines(bytes)) {
    const words = line.trim().split(/\s+/);
    // Names of solids may contain any words, including these.
    const afterName = (from: number) => {
      const facet = words.findIndex((word, at) => at > from && word.toLowerCase() === 'facet');
      return facet < 0 ? words.length : facet;
    };
    let at = 0;
    if (missing === 0 && open !== 'facet' && words[0]?.toLowerCase() === 'solid') {
      open = 'solid';
      at = afterName(0);
    }
    for (let word = words[at++]; word !== undefined; word = words[at++]) {
      if (missing > 0) {
        const value = Number(word);
        if (word === '') continue;
        if (Number.isNaN(value)) {
          throw malformed(
            `${where}: a coordinate of triangle ${triangles + 1} is "${word.slice(0, 40)}", which is no number.`,
          );
        }
        values.push(value);
        missing--;
        continue;
      }
      switch (word.toLowerCase()) {
        case 'facet':
          open = 'facet';
          break;
        case 'vertex':
          missing = 3;
          corners++;
          break;
        case 'endloop':
          triangles++;
          if (corners !== 3) {
            throw malformed(
              `${where}: facet ${triangles} of the STL has ${corners} corners; 3 would be right.`,
            );
          }
          corners = 0;
          break;
        case 'endfacet':
          open = 'solid';
          break;
        case 'endsolid':
          open = 'nothing';
          at = afterName(at);
          break;
      }
    }
  }
  if (open !== 'nothing' || corners > 0 || missing > 0) {
    throw malformed(
      `${where}: the STL file is cut off after ${triangles} triangles: it does not end with "endsolid". Export it again.`,
    );
  }
  return values.scaled(1);
}
