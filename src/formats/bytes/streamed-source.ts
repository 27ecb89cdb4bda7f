import { malformed } from '../format-error.ts';
import type { ByteSource } from './byte-source.ts';

/** Beginning again this often means that the reading order does not suit a compressed stream. */
const maximumRestarts = 200;

/**
 * A stream that can only be read forwards, as a source of `size` bytes. Reading in order costs one pass; reading
 * further back than `keptBytes` begins again. One read at a time; others wait.
 *
 * @param open gives the stream from its beginning
 * @param keptBytes bytes before the furthest one that stay readable without starting again
 * @param warnings is told, once the last byte is read, when the stream goes on behind it
 */
export function streamedSource(
  name: string,
  size: number,
  open: () => AsyncGenerator<Uint8Array>,
  { keptBytes = 4 << 20, warnings }: { keptBytes?: number; warnings?: string[] } = {},
): ByteSource {
  let stream: AsyncGenerator<Uint8Array> | undefined;
  /** blocks that are kept, in order; the last ends at `position` */
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
   * Behind the last byte that was asked for: whether there are more, which nobody would miss otherwise, and whether the
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
