import { voxelArray } from '#kernels/grid/volume.ts';
import { type ByteSource, readExactly } from '../bytes/byte-source.ts';
import { malformed } from '../format-error.ts';
import type { StoredValues } from './raw-slabs.ts';
import type { ReadSlab } from './volume-header.ts';

/** Text is read as a whole; larger files are refused. */
const maximumTextBytes = 512 << 20;

/**
 * Planes of grey values in decimal text, separated by whitespace or commas.
 *
 * @param warnings receives a warning when the last value may be cut off
 */
export async function textSlabs(
  source: ByteSource,
  offset: number,
  { dimensions: [nx, ny, nz], dataType, warnings }: Omit<StoredValues, 'order'>,
): Promise<ReadSlab> {
  const planeVoxels = nx * ny;
  const voxels = planeVoxels * nz;
  const length = source.size - offset;
  // A value needs at least a digit and a separator, so the count is checked before memory is allocated.
  if (voxels * 2 - 1 > length || length > maximumTextBytes) {
    throw malformed(
      `${source.name}: ${voxels} values as text need at least ${voxels * 2 - 1} bytes (and at most ${maximumTextBytes}), but there are ${length}.`,
    );
  }
  const last = await readExactly(source, source.size - 1, 1, 'the last character');
  if (/\d/.test(new TextDecoder('latin1').decode(last)))
    warnings.push(`${source.name} ends without a line break; check that its last value is whole.`);
  let values: ReturnType<typeof voxelArray> | undefined;
  const load = async () => {
    const bytes = await readExactly(source, offset, length, 'the text values');
    const out = voxelArray(dataType, voxels);
    const decoder = new TextDecoder('latin1');
    let count = 0;
    let rest = '';
    for (let at = 0; at < bytes.length && count < voxels; at += 1 << 20) {
      const last = at + (1 << 20) >= bytes.length;
      const words = (rest + decoder.decode(bytes.subarray(at, at + (1 << 20)))).split(/[\s,]+/);
      rest = last ? '' : (words.pop() ?? '');
      if (rest.length > 1000)
        throw malformed(`${source.name}: value ${count + words.length} is longer than 1000 characters.`);
      for (const word of words) {
        if (word === '' || count === voxels) continue;
        const value = Number(word);
        if (Number.isNaN(value) && !/^[+-]?nan$/i.test(word)) {
          throw malformed(
            `${source.name}: value ${count + 1} is "${word.slice(0, 20)}", which is no number.`,
          );
        }
        out[count++] = value;
      }
    }
    if (count < voxels)
      throw malformed(`${source.name}: ${voxels} values are declared, but only ${count} are there.`);
    return out;
  };
  return async (zStart, zEnd) => {
    values ??= await load();
    return values.slice(zStart * planeVoxels, zEnd * planeVoxels);
  };
}
