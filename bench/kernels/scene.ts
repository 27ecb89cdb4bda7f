/** Input files that the kernels and their peers read, created for each edge. */
import { open, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { identityDirections, type Volume } from '#kernels/grid/volume.ts';
import { castPart } from '../cast-part.ts';

/** Grey values of the cast part: material at 40,000 over air at 8,000, the surface midway. */
export const levels = { air: 8000, isoValue: 24_000, range: [0, 48_000] as [number, number] };
/** A twentieth of the contrast. */
const noise = 1600;

export interface VolumeFile {
  volume: Volume;
  file: string;
  edge: number;
}

const makeVolume = (edge: number, data: Uint16Array | Uint8Array): Volume => ({
  dimensions: [edge, edge, edge],
  voxelSizeMm: [1, 1, 1],
  originMm: [0, 0, 0],
  directions: identityDirections(),
  dataType: data instanceof Uint8Array ? 'uint8' : 'uint16',
  data,
});

async function written(folder: string, name: string, volume: Volume): Promise<VolumeFile> {
  const file = path.join(folder, `${name}-${volume.dimensions[0]}.raw`);
  const handle = await open(file, 'w');
  const { buffer, byteOffset, byteLength } = volume.data;
  // One write takes at most 2 GiB.
  for (let from = 0; from < byteLength; from += 2 ** 28) {
    const part = new Uint8Array(buffer, byteOffset + from, Math.min(2 ** 28, byteLength - from));
    await handle.write(part);
  }
  await handle.close();
  return { volume, file, edge: volume.dimensions[0] };
}

/** A cast housing with ribs, bores and 400 pores, with noise. */
export async function castFile(folder: string, edge: number): Promise<VolumeFile> {
  const data = new Uint16Array(edge ** 3);
  let at = 0;
  for (const slab of castPart(edge, 16, noise)) {
    data.set(slab, at);
    at += slab.length;
  }
  return written(folder, 'cast', makeVolume(edge, data));
}

/** One material without noise, one byte per voxel: `walls` of 5 to 9 voxels in air, or a `solid` block. */
export async function maskFile(folder: string, edge: number, kind: 'walls' | 'solid'): Promise<VolumeFile> {
  const data = new Uint8Array(edge ** 3);
  const middle = (edge - 1) / 2;
  const border = edge / 32;
  for (let z = 0, at = 0; z < edge; z++) {
    for (let y = 0; y < edge; y++) {
      for (let x = 0; x < edge; x++, at++) {
        const inner = Math.min(x, y, z, edge - 1 - x, edge - 1 - y, edge - 1 - z) >= border;
        if (!inner) continue;
        if (kind === 'solid') data[at] = 1;
        else {
          // Nested balls, ribs through them, and walls oblique to the axes.
          const radius = Math.hypot(x - middle, y - middle, z - middle);
          const askew = 0.8 * x + 0.5 * y + 0.33 * z;
          data[at] = radius % 48 < 7 || x % 80 < 5 || askew % 120 < 9 ? 1 : 0;
        }
      }
    }
  }
  return written(folder, kind, makeVolume(edge, data));
}

/** A wavy ball with two triangles per step, and scan-ordered points on and near a finer version of it. */
export interface ClosestFiles {
  points: Float32Array;
  positions: Float32Array;
  indices: Uint32Array;
  /** as Open3D's peer and CloudCompare read them */
  pointsFile: string;
  meshFile: string;
  pointsPly: string;
  meshPly: string;
}

/** 200,000 triangles and 500,000 points at an edge of 256; both scale with the area of the surface at other edges. */
export async function closestFiles(folder: string, edge: number): Promise<ClosestFiles> {
  const scale = edge / 256;
  const steps = Math.round(316 * scale);
  const place = (u: number, v: number, height: number, out: Float32Array, at: number) => {
    const [theta, phi] = [Math.PI * v, 2 * Math.PI * u];
    const radius = 50 + 3 * Math.sin(5 * phi) * Math.sin(theta) ** 2 + 2 * Math.cos(7 * theta) + height;
    out[at] = radius * Math.sin(theta) * Math.cos(phi);
    out[at + 1] = radius * Math.sin(theta) * Math.sin(phi);
    out[at + 2] = radius * Math.cos(theta);
  };
  // Poles are single vertices, and the seam is closed.
  const positions = new Float32Array(3 * ((steps - 1) * steps + 2));
  const vertex = (i: number, j: number) =>
    j === 0 ? 0 : j === steps ? (steps - 1) * steps + 1 : 1 + (j - 1) * steps + (i % steps);
  const indices: number[] = [];
  place(0, 0, 0, positions, 0);
  place(0, 1, 0, positions, positions.length - 3);
  for (let j = 0; j < steps; j++) {
    for (let i = 0; i < steps; i++) {
      if (j > 0) place(i / steps, j / steps, 0, positions, 3 * vertex(i, j));
      const [a, b, c, d] = [vertex(i, j), vertex(i + 1, j), vertex(i, j + 1), vertex(i + 1, j + 1)];
      if (j < steps - 1) indices.push(a, c, d);
      if (j > 0) indices.push(a, d, b);
    }
  }
  const across = Math.round(707 * scale);
  const points = new Float32Array(3 * across * across);
  for (let j = 0; j < across; j++) {
    for (let i = 0; i < across; i++) {
      const [u, v] = [(i + 0.37) / across, (j + 0.61) / across];
      // More outwards than inwards, like an uneven deviation.
      place(u, v, 0.3 + 0.5 * Math.sin(40 * u) * Math.cos(23 * v), points, 3 * (j * across + i));
    }
  }
  const triangles = Uint32Array.from(indices);
  const named = (name: string) => path.join(folder, `${name}-${edge}`);
  const files = {
    pointsFile: named('points'),
    meshFile: named('mesh'),
    pointsPly: `${named('points')}.ply`,
    meshPly: `${named('mesh')}.ply`,
  };
  const bytes = (values: Float32Array | Uint32Array) =>
    Buffer.from(values.buffer, values.byteOffset, values.byteLength);
  const counts = Uint32Array.of(positions.length / 3, triangles.length / 3);
  await writeFile(files.pointsFile, bytes(points));
  await writeFile(files.meshFile, Buffer.concat([bytes(counts), bytes(positions), bytes(triangles)]));
  const vertices = (count: number) =>
    `element vertex ${count}\nproperty float x\nproperty float y\nproperty float z\n`;
  const start = 'ply\nformat binary_little_endian 1.0\n';
  await writeFile(
    files.pointsPly,
    Buffer.concat([Buffer.from(`${start}${vertices(points.length / 3)}end_header\n`), bytes(points)]),
  );
  const faces = Buffer.alloc((13 * triangles.length) / 3);
  for (let t = 0; t < triangles.length / 3; t++) {
    faces[13 * t] = 3;
    for (let k = 0; k < 3; k++) faces.writeInt32LE(triangles[3 * t + k], 13 * t + 1 + 4 * k);
  }
  const list = `element face ${triangles.length / 3}\nproperty list uchar int vertex_indices\n`;
  await writeFile(
    files.meshPly,
    Buffer.concat([
      Buffer.from(`${start}${vertices(positions.length / 3)}${list}end_header\n`),
      bytes(positions),
      faces,
    ]),
  );
  return { points, positions, indices: triangles, ...files };
}

/** A body that looks different from every side, for projections: 64³ voxels of 4 mm, as plastimatch reads it. */
export async function projectedBody(folder: string): Promise<string> {
  const [edge, cell] = [64, 4];
  const values = new Int16Array(edge ** 3);
  const middle = (edge - 1) / 2;
  for (let z = 0, at = 0; z < edge; z++) {
    for (let y = 0; y < edge; y++) {
      for (let x = 0; x < edge; x++, at++) {
        const [dx, dy, dz] = [x - middle, y - middle, z - middle];
        const isBody = Math.hypot(dx, dy, dz) < 24 && Math.hypot(dx - 10, dy + 6) > 5;
        values[at] = isBody ? (Math.hypot(dx + 8, dy - 4, dz - 10) < 5 ? 200 : 100) : 0;
      }
    }
  }
  const offset = -middle * cell;
  const header = [
    'ObjectType = Image',
    'NDims = 3',
    'BinaryData = True',
    'BinaryDataByteOrderMSB = False',
    'TransformMatrix = 1 0 0 0 1 0 0 0 1',
    `Offset = ${offset} ${offset} ${offset}`,
    `ElementSpacing = ${cell} ${cell} ${cell}`,
    `DimSize = ${edge} ${edge} ${edge}`,
    'ElementType = MET_SHORT',
    'ElementDataFile = LOCAL\n',
  ].join('\n');
  const file = path.join(folder, 'body.mha');
  await writeFile(file, Buffer.concat([Buffer.from(header), Buffer.from(values.buffer)]));
  return file;
}
