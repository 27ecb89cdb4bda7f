import { GrowingFloats, GrowingIndices } from '#kernels/mesh/growing-array.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { malformed } from '../format-error.ts';
import { listLines } from '../mesh/words.ts';

/**
 * The faces of a Wavefront OBJ; polygons become triangle fans from their first corner. Texture coordinates, normals,
 * groups and materials are ignored, and free-form surfaces are not read.
 *
 * @param mmPerFileUnit mm per unit of the file, as OBJ states none
 */
export function readObj(bytes: Uint8Array, mmPerFileUnit: number, where: string): TriangleMesh {
  const positions = new GrowingFloats();
  const indices = new GrowingIndices();
  let number = 0;
  let continued = '';
  for (const line of listLines(bytes)) {
    number++;
    if (line.endsWith('\\')) {
      continued += `${line.slice(0, -1)} `;
      // Limits continued lines, so that a file of backslashes does not become one endless line.
      if (continued.length > 1 << 20)
        throw malformed(`${where}: line ${number} continues over more than a megabyte.`);
      continue;
    }
    const words = (continued + line).trim().split(/\s+/);
    continued = '';
    if (words[0] === 'v') {
      for (let k = 1; k <= 3; k++) {
        const value = Number(words[k]);
        if (words[k] === undefined || !Number.isFinite(value)) {
          throw malformed(`${where}, line ${number}: a vertex needs three finite numbers.`);
        }
        positions.push(value);
      }
    } else if (words[0] === 'f') {
      if (words.length < 4) throw malformed(`${where}, line ${number}: a face needs at least three corners.`);
      const corner = (word = '') => {
        const vertices = positions.length / 3;
        const given = Number.parseInt(word, 10);
        const index = given < 0 ? vertices + given : given - 1;
        if (!(index >= 0 && index < 0xffffffff))
          throw malformed(`${where}, line ${number}: "${word.slice(0, 40)}" is no corner of a face.`);
        return index;
      };
      const first = corner(words[1]);
      let before = corner(words[2]);
      for (let k = 3; k < words.length; k++) {
        const next = corner(words[k]);
        indices.push(first);
        indices.push(before);
        indices.push(next);
        before = next;
      }
    }
  }
  const mesh = { positions: positions.scaled(mmPerFileUnit), indices: indices.trimmed() };
  const vertices = mesh.positions.length / 3;
  // Faces may precede their vertices, so this can only be checked at the end.
  for (const index of mesh.indices) {
    if (index >= vertices)
      throw malformed(`${where}: a face refers to vertex ${index + 1}, but there are only ${vertices}.`);
  }
  if (mesh.indices.length === 0) throw malformed(`${where}: the OBJ file has no face.`);
  return mesh;
}
