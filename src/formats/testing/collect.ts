import type { SlabSource, Volume } from '#kernels/grid/volume.ts';
import { type ByteSource, bytesSource } from '../bytes/byte-source.ts';

/** All bytes of a stream, for tests with small files. */
export async function collect(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const blocks: Uint8Array[] = [];
  for await (const block of stream) blocks.push(block);
  return new Uint8Array(Buffer.concat(blocks));
}

export const findFile = async (name: string, stream: AsyncIterable<Uint8Array>): Promise<ByteSource> =>
  bytesSource(name, await collect(stream));

export const textFile = (name: string, text: string, data: Uint8Array = new Uint8Array(0)): ByteSource => {
  const head = new TextEncoder().encode(text);
  const bytes = new Uint8Array(head.length + data.length);
  bytes.set(head);
  bytes.set(data, head.length);
  return bytesSource(name, bytes);
};

/** All grey values, read in slabs of uneven height so that slab borders are tested too. */
export async function listValues(source: SlabSource, planes = 3): Promise<number[]> {
  const values: number[] = [];
  for (let z = 0; z < source.grid.dimensions[2]; z += planes) {
    for (const value of await source.readSlab(z, Math.min(source.grid.dimensions[2], z + planes)))
      values.push(value);
  }
  return values;
}

/** A small volume of any grey value type, with negative and large values if the type has them. */
export function smallVolume(dataType: Volume['dataType'], data: Volume['data']): Volume {
  return {
    dimensions: [5, 4, 7],
    voxelSizeMm: [0.0195, 0.02, 1 / 3],
    originMm: [-1.5, 2, 1e-3],
    directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
    dataType,
    data,
  };
}

/** Deterministic random numbers for a seed (mulberry32), so that failures can be reproduced. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
