import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import {
  exportMeshFormatNames,
  exportMeshFormats,
  exportVolumeFormats,
} from '#contract/base/export-formats.ts';
import { viewFormats } from '#contract/shapes/data-object.ts';
import { bytesSource } from './bytes/byte-source.ts';
import { withFormatTable } from './format-table.ts';
import { recognise } from './recognise.ts';
import { formats, meshFormats, readFormatNames, readFormats, volumeFormats } from './registry.ts';

const writable = (entries: object) =>
  Object.entries(entries).flatMap(([id, entry]) => ('writer' in entry ? [id] : []));

describe('The registry of formats', () => {
  it('offers for export what can be written, and nothing else', () => {
    expect([...exportMeshFormats].sort()).toEqual(writable(meshFormats).sort());
    expect([...viewFormats].sort()).toEqual(writable(volumeFormats).sort());
    // RAW says nothing of itself, so it is a view only; OME-Zarr is how volumes are stored.
    const files = writable(volumeFormats).filter((id) => id !== 'raw');
    expect([...exportVolumeFormats].sort()).toEqual([...files, 'omeZarr'].sort());
  });

  it('has the names that forms show', () => {
    for (const id of exportMeshFormats) expect(meshFormats[id].name).toBe(exportMeshFormatNames[id]);
  });

  it('has no extension twice', () => {
    const all = Object.values(formats).flatMap(({ extensions }) => extensions);
    expect(new Set(all).size).toBe(all.length);
  });

  it('is the table in the README (else: npm run generate)', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect(readme).toBe(withFormatTable(readme));
  });

  it('goes by the extension where the content says nothing', async () => {
    for (const { extensions, id } of readFormats.filter(({ id }) => id !== '3mf')) {
      for (const extension of extensions) {
        const file = bytesSource(`part.${extension}`, new Uint8Array(200).fill(65));
        expect((await recognise([file])).format, extension).toBe(id);
      }
    }
  });

  it.each([
    ['an HDF5 file', 'scan.h5', '\x89HDF\r\n\x1a\n'],
    ['a DICOM file', 'slice.dcm', `${'\0'.repeat(128)}DICM`],
    ['a VTK XML file', 'scan.vti', '<VTKFile type="ImageData">'],
    ['of no known kind', 'scan.xyz', 'hello'],
  ])('is named to users who upload %s', async (what, name, content) => {
    const file = bytesSource(
      name,
      Uint8Array.from(content, (char) => char.charCodeAt(0)),
    );
    const error = await recognise([file]).catch((reason: Error) => reason.message);
    expect(error).toContain(what);
    expect(error).toContain(readFormatNames);
  });
});
