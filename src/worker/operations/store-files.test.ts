import { expect, it } from 'vitest';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { sendParts } from './store-files.ts';

it('sends parts unchanged, and copies shared memory in small pieces', async () => {
  const own = new Uint8Array([1, 2, 3]);
  const shared = new Uint8Array(new SharedArrayBuffer(9e6), 5, 8.5e6).map((_, i) => i % 251);
  const sharedView = new Uint8Array(new SharedArrayBuffer(9e6), 5, 8.5e6);
  sharedView.set(shared);
  const sent: Uint8Array[] = [];
  for await (const part of sendParts([own, sharedView, own])) sent.push(part);
  expect(sent[0]).toBe(own);
  for (const { buffer, byteLength } of sent) {
    expect(buffer).toBeInstanceOf(ArrayBuffer);
    expect(byteLength).toBeLessThan(5e6);
  }
  expect(Buffer.compare(joinBytes(sent), joinBytes([own, shared, own]))).toBe(0);
});
