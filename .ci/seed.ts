/** Generated input depends on the seed of the run, which every failure report names. */
import fc from 'fast-check';
import { expect } from 'vitest';

fc.configureGlobal({ seed: Number(process.env['SCANWRIGHT_SEED']) });

const viewBytes = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength);
/**
 * Arrays with equal bytes are equal. `toEqual` first lists the names of all elements, which takes a hundred times as
 * long; it still runs, and reports the difference, when the bytes differ.
 */
function haveEqualBytes(a: unknown, b: unknown): true | undefined {
  if (!ArrayBuffer.isView(a) || !ArrayBuffer.isView(b) || a.constructor !== b.constructor) return undefined;
  return viewBytes(a).equals(viewBytes(b)) || undefined;
}
expect.addEqualityTesters([haveEqualBytes]);
