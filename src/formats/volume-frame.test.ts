import { NRRDLoader } from 'three/addons/loaders/NRRDLoader.js';
import { describe, expect, it } from 'vitest';
import type { Grid, Vector3 } from '#kernels/grid/volume.ts';
import { seededRandom } from '#kernels/random.ts';
import { bytesSource } from './bytes/byte-source.ts';
import type { ByteStore } from './bytes/byte-store.ts';
import { openVolumeReader } from './ome-zarr/volume-reader.ts';
import { createVolumeWriter } from './ome-zarr/volume-writer.ts';
import { type OpenedVolume, openVolume } from './open-volume.ts';
import { volumeFormats, type WritableVolumeId } from './registry.ts';
import {
  asMetaImage,
  asNifti,
  asNrrd,
  asRaw,
  asTiff,
  layDown,
  layoutName,
  layouts,
  listHints,
  nrrdSpaces,
  size,
  startMm,
  stepMm,
  straight,
  tiffLayouts,
  valueAt,
} from './testing/asymmetric-body.ts';
import { collect } from './testing/collect.ts';
import { determinant } from './volume/inner-frame.ts';

interface Held {
  grid: Grid;
  values: ArrayLike<number>;
}

async function load({ grid, slabs }: OpenedVolume): Promise<Held> {
  const [, , planes] = grid.dimensions;
  const values: number[] = [];
  // Slab by slab, of uneven height: planes that are reversed must come in their turn.
  for (let z = 0; z < planes; z += 2)
    for (const value of await slabs.readSlab(z, Math.min(planes, z + 2))) values.push(value);
  return { grid, values };
}

/** Every voxel has the value that the body has where it lies. */
function expectBody({ grid, values }: Held, what: string): void {
  const { dimensions, voxelSizeMm, originMm, directions: d } = grid;
  expect(values.length, what).toBe(size[0] * size[1] * size[2]);
  let from = 0;
  for (let c = 0; c < dimensions[2]; c++) {
    for (let b = 0; b < dimensions[1]; b++) {
      for (let a = 0; a < dimensions[0]; a++) {
        const along = [a * voxelSizeMm[0], b * voxelSizeMm[1], c * voxelSizeMm[2]];
        const cell = [0, 1, 2].map((n) => {
          const mm = originMm[n] + d[n] * along[0] + d[3 + n] * along[1] + d[6 + n] * along[2];
          return Math.round((mm - startMm[n]) / stepMm[n]);
        });
        expect(values[from++], `${what}: voxel ${a} ${b} ${c}`).toBe(valueAt(cell[0], cell[1], cell[2]));
      }
    }
  }
}

describe('A body in a volume', () => {
  it.each(layouts.map((layout) => [layoutName(layout), layout] as const))(
    'whose columns, rows and planes run along %s lies the same way in every format',
    async (_, layout) => {
      const opened: Record<string, OpenedVolume> = {
        MetaImage: await openVolume([asMetaImage(layout)]),
        ...Object.fromEntries(
          await Promise.all(
            (Object.keys(nrrdSpaces) as (keyof typeof nrrdSpaces)[]).map(async (space) => [
              `NRRD in "${space}"`,
              await openVolume([asNrrd(layout, space)]),
            ]),
          ),
        ),
        NIfTI: await openVolume([asNifti(layout)]),
        'NIfTI by both': await openVolume([asNifti(layout, 'both')]),
        RAW: await openVolume([asRaw(layout)], listHints(layout)),
      };
      const [first, ...others] = await Promise.all(Object.values(opened).map(load));
      expectBody(first, 'MetaImage');
      // Not only where it lies: columns, rows and planes are the same ones too.
      for (const [at, other] of others.entries()) expect(other, Object.keys(opened)[at + 1]).toEqual(first);
      expect(determinant(first.grid.directions)).toBeCloseTo(1, 12);
      if (layout.axes[2] === 2) expect(first.grid).toMatchObject(straightGrid);
    },
  );

  it.each(layouts.map((layout) => [layoutName(layout), layout] as const))(
    'whose columns, rows and planes run along %s lies there too where it is read forwards only, or placed by a quaternion',
    async (_, layout) => {
      const opened = {
        MetaImage: await openVolume([asMetaImage(layout, true)]),
        NRRD: await openVolume([asNrrd(layout, 'RAS', 'gzip')]),
        'NIfTI by its quaternion': await openVolume([asNifti(layout, 'quaternion')]),
        'NIfTI by its quaternion, compressed': await openVolume([asNifti(layout, 'quaternion', true)]),
      };
      for (const [format, each] of Object.entries(opened)) {
        const held = await load(each);
        expectBody(held, format);
        expect(determinant(held.grid.directions), format).toBeCloseTo(1, 6);
      }
    },
  );

  const straightGrid: Partial<Grid> = {
    dimensions: size,
    voxelSizeMm: stepMm,
    originMm: startMm,
    directions: [1, 0, 0, 0, 1, 0, 0, 0, 1],
  };

  it.each(Object.keys(tiffLayouts).map(Number))(
    'in TIFF of orientation %i stands upright',
    async (orientation) => {
      const { grid, values } = await load(await openVolume([asTiff(orientation)], { voxelSizeMm: stepMm }));
      expect(grid).toMatchObject({ dimensions: size, directions: straightGrid.directions });
      expectBody({ grid: { ...grid, originMm: startMm }, values }, `orientation ${orientation}`);
    },
  );

  it('that is turned by any angle stays where it is', async () => {
    const seed = 20_260_301;
    const random = seededRandom(seed);
    for (let round = 0; round < 50; round++) {
      const layout = layouts[Math.floor(random() * layouts.length)];
      const body = layDown(layout);
      const turn = randomRotation(random);
      const turned = (vector: readonly number[]) =>
        [0, 1, 2].map((n) => turn[n] * vector[0] + turn[3 + n] * vector[1] + turn[6 + n] * vector[2]);
      const directions = [0, 3, 6].flatMap((at) => turned(body.directions.slice(at, at + 3)));
      const opened = await openVolume([asRaw(layout)], {
        ...listHints(layout),
        originMm: turned(body.origin) as Vector3,
        directions: directions as Grid['directions'],
      });
      const { grid, values } = await load(opened);
      expect(determinant(grid.directions), `seed ${seed}, round ${round}`).toBeCloseTo(1, 9);
      // Turned back, it is the body.
      const back = (vector: readonly number[]) =>
        [0, 3, 6].map((at) => turn[at] * vector[0] + turn[at + 1] * vector[1] + turn[at + 2] * vector[2]);
      const upright = {
        ...grid,
        originMm: back(grid.originMm) as Vector3,
        directions: [0, 3, 6].flatMap((at) => back(grid.directions.slice(at, at + 3))) as Grid['directions'],
      };
      expectBody({ grid: upright, values }, `seed ${seed}, round ${round}`);
    }
  });
});

/** Columns of a rotation by a random quaternion. */
function randomRotation(random: () => number): number[] {
  const q = [0, 1, 2, 3].map(() => random() - 0.5);
  const length = Math.hypot(...q);
  const [w, x, y, z] = q.map((value) => value / length);
  return [
    1 - 2 * (y * y + z * z),
    2 * (x * y + z * w),
    2 * (x * z - y * w),
    2 * (x * y - z * w),
    1 - 2 * (x * x + z * z),
    2 * (y * z + x * w),
    2 * (x * z + y * w),
    2 * (y * z - x * w),
    1 - 2 * (x * x + y * y),
  ];
}

/** Readers that share nothing with ours. */
const otherReaders: Record<WritableVolumeId, (bytes: Uint8Array<ArrayBuffer>, grid: Grid) => Held> = {
  nrrd: (bytes) => {
    // Its types ask for the text of a file; it wants the bytes.
    const { data, header } = new NRRDLoader().parse(bytes.buffer as unknown as string) as unknown as {
      data: Int16Array;
      header: { space: string; sizes: Vector3; vectors: Vector3[]; space_origin: string[] };
    };
    expect(header.space).toBe('left-posterior-superior');
    const lengths = header.vectors.map((vector) => Math.hypot(...vector)) as Vector3;
    return {
      values: data,
      grid: {
        dimensions: header.sizes,
        voxelSizeMm: lengths,
        originMm: header.space_origin.map(Number) as Vector3,
        directions: header.vectors.flatMap((v, at) => v.map((n) => n / lengths[at])) as Grid['directions'],
      },
    };
  },
  tiff: (bytes) => {
    const text = new TextDecoder('latin1').decode(bytes.subarray(0, 2000));
    const line = (name: string) =>
      (new RegExp(`${name}=([^\n]*)`).exec(text)?.[1] ?? '').split(',').map(Number);
    const voxels = size[0] * size[1] * size[2];
    const view = new DataView(bytes.buffer);
    const readTag = (id: number) => {
      const directory = view.getUint32(4, true);
      for (let i = 0; i < view.getUint16(directory, true); i++) {
        const at = directory + 2 + 12 * i;
        if (view.getUint16(at, true) === id) return view.getUint32(at + 8, true);
      }
      return 0;
    };
    const [columns, rows] = [readTag(256), readTag(257)];
    return {
      values: new Int16Array(bytes.slice(-2 * voxels).buffer),
      grid: {
        dimensions: [columns, rows, voxels / columns / rows],
        voxelSizeMm: line('voxelSizeMm') as Vector3,
        originMm: line('originMm') as Vector3,
        directions: line('directions') as Grid['directions'],
      },
    };
  },
  raw: (bytes, grid) => ({ values: new Int16Array(bytes.buffer), grid }),
};

describe('A volume that is written', () => {
  const inputs = layouts.filter((_, at) => at % 5 === 0);
  for (const format of Object.keys(otherReaders) as WritableVolumeId[]) {
    it(`as ${format} lies the same way for other readers, whatever it came from`, async () => {
      for (const layout of inputs) {
        for (const input of [asMetaImage(layout), asNrrd(layout, 'RAS'), asNifti(layout)]) {
          const what = `${input.name} ${layoutName(layout)} as ${format}`;
          const { slabs } = await openVolume([input]);
          const { write } = await volumeFormats[format].writer();
          const bytes = Uint8Array.from(await collect(write(slabs)));
          expectBody(otherReaders[format](bytes, slabs.grid), what);
          if (format === 'raw') continue;
          const again = await openVolume([bytesSource(`again.${format === 'tiff' ? 'tif' : format}`, bytes)]);
          expect(await load(again), what).toEqual(await load({ ...again, grid: slabs.grid, slabs }));
        }
      }
    });
  }

  it('as OME-Zarr lies the same way, and says so', async () => {
    for (const layout of inputs) {
      const { slabs, grid } = await openVolume([asNifti(layout)]);
      const { store, files } = memoryStore();
      const writer = createVolumeWriter(store, 'volume', { ...grid, dataType: 'int16' });
      await writer.append(await slabs.readSlab(0, grid.dimensions[2]));
      await writer.finish();
      const { attributes } = JSON.parse(new TextDecoder().decode(files.get('volume/zarr.json')));
      expect(attributes.scanwright.frame).toBe('LPS');
      // The one brick stands first in its file, the index of the file behind it.
      const stored = Uint8Array.from(files.get('volume/0/c/0/0/0') ?? []);
      const values = new Int16Array(stored.buffer, 0, size[0] * size[1] * size[2]);
      expectBody({ grid: attributes.scanwright, values }, layoutName(layout));
      const reader = await openVolumeReader(store, 'volume');
      expectBody({ grid: reader.meta, values: await reader.readSlab(0, 0, grid.dimensions[2]) }, 'read');
    }
  });

  it('does not name a space where the stored volume is of a version that knew none', async () => {
    const { slabs } = await openVolume([asMetaImage(straight)]);
    const { write } = await volumeFormats.nrrd.writer();
    const head = async (frame: 'LPS' | null) =>
      new TextDecoder('latin1').decode(await collect(write(slabs, { frame }))).slice(0, 120);
    expect(await head('LPS')).toContain('\nspace: left-posterior-superior\n');
    expect(await head(null)).toContain('\nspace dimension: 3\n');
  });
});

function memoryStore(): { store: ByteStore; files: Map<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  const get = (key: string) => {
    const found = files.get(key);
    if (!found) throw new Error(`there is no ${key}`);
    return found;
  };
  const store: ByteStore = {
    read: async (key, range) => Uint8Array.from(get(key).subarray(range?.start ?? 0, range?.end)),
    readInto: async (target, key, start) => target.set(get(key).subarray(start, start + target.byteLength)),
    put: (key, bytes) => store.putPart(key, bytes),
    putPart: async (key, bytes) => {
      const parts: Uint8Array[] = [];
      if (bytes instanceof Uint8Array) parts.push(bytes);
      else for await (const part of bytes) parts.push(part);
      files.set(key, new Uint8Array(Buffer.concat(parts)));
    },
    flush: async () => undefined,
    deleteAll: async () => files.clear(),
  };
  return { store, files };
}
