import type { SlabSource } from './volume.ts';

/** The same source, whose reads reject once the signal is aborted, so that whatever reads it ends. */
export function readUntil<Source extends SlabSource>(source: Source, signal: AbortSignal): Source {
  const { boxes, coarser } = source;
  return {
    ...source,
    async readSlab(zStart, zEnd) {
      signal.throwIfAborted();
      return source.readSlab(zStart, zEnd, signal);
    },
    ...(boxes ? { boxes: { ...boxes, read: (min, max, take) => boxes.read(min, max, take, signal) } } : {}),
    ...(coarser ? { coarser: coarser.map((each) => readUntil(each, signal)) } : {}),
  };
}
