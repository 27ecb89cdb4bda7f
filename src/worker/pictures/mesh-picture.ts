import type { Picture } from '#formats/png/picture.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';

/** Seen from the front right, from above; rows of a rotation: right, up, towards the eye. */
const right = [0.8192, 0.5736, 0];
const up = [-0.2868, 0.4096, 0.866];
const towards = [0.4967, -0.7094, 0.5];
const light = normalized([0.35, -0.35, 0.87]);

/**
 * A shaded picture of a mesh: parallel projection, depth buffer, light from above, transparent ground.
 * Drawn at twice the size and averaged, so that edges are smooth. O(triangles + pixels covered).
 *
 * @param size pixels of each side
 * @param colors sRGB bytes, 3 a vertex, of a quantity on the surface; plain metal without them
 */
export function meshPicture(mesh: TriangleMesh, size: number, colors?: Uint8Array): Picture {
  const side = size * 2;
  const projected = project(mesh.positions, side);
  const depth = new Float32Array(side * side).fill(-Infinity);
  const shade = new Uint8Array(side * side);
  // Which triangle is seen, to colour it once it is known that nothing lies in front.
  const seen = colors ? new Uint32Array(side * side) : undefined;
  const sketch = { side, depth, shade, seen };
  for (let t = 0; t < mesh.indices.length; t += 3) drawTriangle(projected, mesh.indices, t, sketch);
  const samples = new Uint8Array(size * size * 4);
  for (let y = 0; y < size; y++) {
    for (let x = 0; x < size; x++) {
      let sum = 0;
      let covered = 0;
      const tint = [0, 0, 0];
      for (const [dx, dy] of [
        [0, 0],
        [1, 0],
        [0, 1],
        [1, 1],
      ]) {
        const at = (2 * y + dy) * side + 2 * x + dx;
        if (depth[at] === -Infinity) continue;
        sum += shade[at];
        covered++;
        if (colors && seen) addColor(tint, colors, mesh.indices, seen[at], shade[at]);
      }
      if (covered === 0) continue;
      if (colors) {
        samples.set([...tint.map((value) => value / covered), covered * 63.75], (y * size + x) * 4);
        continue;
      }
      const grey = sum / covered;
      // A slight blue, as machined metal has under a cloudy sky.
      samples.set(
        [grey * 0.94, grey * 0.97, Math.min(255, grey * 1.02), covered * 63.75],
        (y * size + x) * 4,
      );
    }
  }
  return { width: size, height: size, channels: 4, samples };
}

/** xyz in pixels (z towards the eye) of each vertex, the whole mesh fitted into the picture. */
function project(positions: Float32Array, side: number): Float32Array {
  const projected = new Float32Array(positions.length);
  const min = [Infinity, Infinity];
  const max = [-Infinity, -Infinity];
  for (let i = 0; i < positions.length; i += 3) {
    const [x, y, z] = [positions[i], positions[i + 1], positions[i + 2]];
    projected[i] = right[0] * x + right[1] * y + right[2] * z;
    projected[i + 1] = -(up[0] * x + up[1] * y + up[2] * z);
    projected[i + 2] = towards[0] * x + towards[1] * y + towards[2] * z;
    for (const axis of [0, 1]) {
      min[axis] = Math.min(min[axis], projected[i + axis]);
      max[axis] = Math.max(max[axis], projected[i + axis]);
    }
  }
  const extent = Math.max(max[0] - min[0], max[1] - min[1]) || 1;
  const scale = (side * 0.92) / extent;
  for (let i = 0; i < projected.length; i += 3) {
    projected[i] = (projected[i] - (min[0] + max[0]) / 2) * scale + side / 2;
    projected[i + 1] = (projected[i + 1] - (min[1] + max[1]) / 2) * scale + side / 2;
    projected[i + 2] *= scale;
  }
  return projected;
}

/** The mean colour of a triangle's corners, gently lit: a legend must still be readable in it. */
function addColor(
  sum: number[],
  colors: Uint8Array,
  indices: Uint32Array,
  triangle: number,
  tone: number,
): void {
  const gain = 0.62 + (0.38 * tone) / 245;
  for (let channel = 0; channel < 3; channel++) {
    let mean = 0;
    for (let corner = 0; corner < 3; corner++) mean += colors[3 * indices[triangle + corner] + channel] / 3;
    sum[channel] += mean * gain;
  }
}

/** A square of pixels: how near what is drawn there is, its grey, and which triangle it is of. */
interface Sketch {
  side: number;
  depth: Float32Array;
  shade: Uint8Array;
  seen: Uint32Array | undefined;
}

function drawTriangle(
  p: Float32Array,
  indices: Uint32Array,
  triangle: number,
  { side, depth, shade, seen }: Sketch,
): void {
  const [a, b, c] = [indices[triangle], indices[triangle + 1], indices[triangle + 2]];
  const [ax, ay, az] = [p[3 * a], p[3 * a + 1], p[3 * a + 2]];
  const [bx, by, bz] = [p[3 * b], p[3 * b + 1], p[3 * b + 2]];
  const [cx, cy, cz] = [p[3 * c], p[3 * c + 1], p[3 * c + 2]];
  const area = (bx - ax) * (cy - ay) - (cx - ax) * (by - ay);
  if (!(Math.abs(area) > 1e-9)) return;
  const tone = shadeFacet([bx - ax, by - ay, bz - az], [cx - ax, cy - ay, cz - az]);
  const left = Math.max(0, Math.ceil(Math.min(ax, bx, cx) - 0.5));
  const rightmost = Math.min(side - 1, Math.floor(Math.max(ax, bx, cx) - 0.5));
  const top = Math.max(0, Math.ceil(Math.min(ay, by, cy) - 0.5));
  const bottom = Math.min(side - 1, Math.floor(Math.max(ay, by, cy) - 0.5));
  for (let y = top; y <= bottom; y++) {
    for (let x = left; x <= rightmost; x++) {
      const px = x + 0.5;
      const py = y + 0.5;
      const wb = ((px - ax) * (cy - ay) - (cx - ax) * (py - ay)) / area;
      const wc = ((bx - ax) * (py - ay) - (px - ax) * (by - ay)) / area;
      if (wb < 0 || wc < 0 || wb + wc > 1) continue;
      const z = az + wb * (bz - az) + wc * (cz - az);
      const at = y * side + x;
      if (z <= depth[at]) continue;
      depth[at] = z;
      shade[at] = tone;
      if (seen) seen[at] = triangle;
    }
  }
}

/** Grey of a facet from its edges in picture space (y down, z towards the eye); both sides are lit. */
function shadeFacet(u: number[], v: number[]): number {
  let normal = normalized([u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]]);
  if (normal[2] < 0) normal = normal.map((value) => -value);
  const lit = Math.max(0, normal[0] * light[0] + normal[1] * light[1] + normal[2] * light[2]);
  return Math.round(60 + 185 * (0.25 * normal[2] + 0.75 * lit));
}

function normalized(vector: number[]): number[] {
  const length = Math.hypot(...vector) || 1;
  return vector.map((value) => value / length);
}
