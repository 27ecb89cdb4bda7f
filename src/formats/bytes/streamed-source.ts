import { malformed } from '../format-error.ts';
import type { ByteSource } from './byte-source.ts';

/** More restarts than this mean that the reading order does not suit a compressed stream. */
const maximumRestarts = 200;

/**
 * A forward-only stream as a source of `size` bytes. Sequential reading costs one pass; reading back further than
 * `keptBytes` restarts the stream. Reads are serialized.
 *
 * @param open returns the stream from its beginning
 * @param keptBytes bytes before the furthest position that can be read again without a restart
 * @param warnings receives a warning if the stream continues after the last byte
 */
export function streamedSource(
  name: string,
  size: number,
  open: () => AsyncGenerator<Uint8Array>,
  { keptBytes = 4 << 20, warnings }: { keptBytes?: number; warnings?: string[] } = {},
): ByteSource {
  let stream: AsyncGenerator<Uint8Array> | undefined;
  /** kept blocks in order; the last one ends at `position` */
  let kept: { start: number; bytes: Uint8Array }[] = [];
  let position = 0;
  let restarts = 0;
  let isEndChecked = warnings === undefined;
  let last: Promise<unknown> = Promise.resolve();

  const restart = async () => {
    if (++restarts > maximumRestarts) {
      throw malformed(
        `${name}: the compressed file would have to be read more than ${maximumRestarts} times; unpack it first.`,
      );
    }
    await stream?.return(undefined);
    stream = undefined;
    kept = [];
    position = 0;
  };

  const keep = (bytes: Uint8Array) => {
    kept.push({ start: position, bytes });
    position += bytes.length;
    while ((kept[1]?.start ?? Infinity) <= position - keptBytes) kept.shift();
  };

  /**
   * Checks after the last requested byte whether there are more, which would go unnoticed otherwise, and whether the
   * checksum is right.
   */
  const checkEnd = async () => {
    isEndChecked = true;
    while (stream && position <= size) {
      const { done, value } = await stream.next();
      if (done) return;
      keep(value);
    }
    warnings?.push(`${name} goes on behind the last voxel, at byte ${size}; what follows was left out.`);
  };

  const readNow = async (offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> => {
    const end = Math.min(offset + length, size);
    if (end <= offset) return new Uint8Array(0);
    if (offset < (kept[0]?.start ?? position)) await restart();
    stream ??= open();
    const out = new Uint8Array(end - offset);
    const copy = (start: number, bytes: Uint8Array) => {
      const from = Math.max(offset, start);
      const to = Math.min(end, start + bytes.length);
      if (from < to) out.set(bytes.subarray(from - start, to - start), from - offset);
    };
    for (const block of kept) copy(block.start, block.bytes);
    while (position < end) {
      const { done, value } = await stream.next();
      if (done) {
        stream = undefined;
        const had = Math.max(0, position - offset);
        kept = [];
        position = 0;
        return out.subarray(0, had);
      }
      copy(position, value);
      keep(value);
    }
    if (end === size && !isEndChecked) await checkEnd();
    return out;
  };

  return {
    name,
    size,
    read: (offset, length) => {
      const result = last.then(() => readNow(offset, length));
      last = result.catch(() => undefined);
      return result;
    },
  };
}
