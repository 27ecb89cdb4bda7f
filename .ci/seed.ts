/** Generated input comes from the seed of the run, which each report of a failure names. */
import fc from 'fast-check';
import { expect } from 'vitest';

fc.configureGlobal({ seed: Number(process.env['SCANWRIGHT_SEED']) });

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength);
/**
 * What is the same byte by byte is equal. `toEqual` makes a list of the names of all elements first, which takes a
 * hundred times as long; where something differs, it still finds and says what.
 */
function haveEqualBytes(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
  return bytesOf(a).equals(bytesOf(b)) || undefined;
}
expect.addEqualityTesters([haveEqualBytes]);
