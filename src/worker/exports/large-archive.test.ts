import { Readable } from 'node:stream';
import { expect, it } from 'vitest';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import type { dataObjects } from '#storage/db/schema-data.ts';
import type { ProjectRow } from '#storage/work/kinds.ts';
import type { ExportEntry } from './export-contents.ts';
import { writeArchive } from './write-archive.ts';

const MIB = 1024 ** 2;
const partBytes = 4 * MIB;
const fileBytes = 4.25 * 1024 * MIB;

/** Gives blobs of any length without having them. */
const endless = {
  get: async () =>
    Readable.from(
      (async function* () {
        const part = new Uint8Array(partBytes).fill(7);
        for (let sent = 0; sent < fileBytes; sent += partBytes) yield part;
      })(),
    ),
} as unknown as BlobStore;

it('packs more than 4 GiB in constant memory, with 64-bit sizes', { timeout: 300_000 }, async () => {
  const dataObject = {
    id: crypto.randomUUID(),
    kind: 'volume',
    name: 'Volume',
    createdAt: new Date(0),
    createdByOperationId: null,
    metadata: {},
  } as typeof dataObjects.$inferSelect;
  const entry = (path: string, sizeBytes: number): ExportEntry => ({
    path,
    dataObject,
    content: { kind: 'blob', blobKey: path, sizeBytes },
    expectedBytes: sizeBytes,
  });
  const project = { id: crypto.randomUUID(), name: 'Large' } as ProjectRow;
  let passed = 0;
  const archive = writeArchive({
    store: endless,
    project,
    config: { exportMeshes: false, exportVolumes: true, exportRadiographs: false },
    entries: [entry('volumes/a/volume.raw', fileBytes)],
    version: 'test',
    createdAt: new Date(0),
    signal: new AbortController().signal,
    onBytes: (bytes) => {
      passed += bytes;
    },
  });
  const before = process.memoryUsage();
  let [length, peakBytes] = [0, 0];
  let tail: Uint8Array = new Uint8Array(0);
  for await (const part of archive) {
    length += part.length;
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    peakBytes = Math.max(peakBytes, heapUsed + arrayBuffers - before.heapUsed - before.arrayBuffers);
    if (part.length < partBytes) tail = Buffer.concat([tail, part]).subarray(-4096);
  }
  expect(passed).toBe(fileBytes);
  expect(length).toBeGreaterThan(fileBytes);
  expect(peakBytes).toBeLessThan(256 * MIB);
  // The end of central directory in its 64-bit form: the directory begins beyond 4 GiB.
  const end = Buffer.from(tail).indexOf(Buffer.from([0x50, 0x4b, 0x06, 0x06]));
  expect(end).toBeGreaterThan(-1);
  expect(Number(Buffer.from(tail).readBigUInt64LE(end + 48))).toBeGreaterThan(fileBytes);
});
