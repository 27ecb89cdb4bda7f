import { describe, expect, it } from 'vitest';
import {
  emptyImport,
  importErrors,
  isAsked,
  listMissingFields,
  neededBytes,
  readableBytes,
  startingValues,
  toRetryInput,
  toUploadMetadata,
} from './import-fields.ts';

describe('The fields to ask for', () => {
  it('are only the voxel size if nothing else is missing', () => {
    expect(listMissingFields(['voxelSizeMm'])).toEqual(['voxelSizeMm']);
    expect(listMissingFields(['unit'])).toEqual(['unit']);
  });

  it('are the whole description of raw grey values', () => {
    expect(listMissingFields(['dimensions', 'dataType', 'byteOrder', 'voxelSizeMm'])).toEqual([
      'dimensions',
      'dataType',
      'byteOrder',
      'headerBytes',
      'voxelSizeMm',
    ]);
  });

  it('ignore unknown names', () => {
    expect(listMissingFields(['colour', 'unit'])).toEqual(['unit']);
  });

  it('exclude the byte order of single bytes', () => {
    const asked = listMissingFields(['dataType']);
    expect(isAsked('byteOrder', asked, { ...emptyImport, dataType: 'uint8' })).toBe(false);
    expect(isAsked('byteOrder', asked, { ...emptyImport, dataType: 'uint16' })).toBe(true);
  });
});

describe('The validation of the form', () => {
  const asked = listMissingFields(['dimensions']);
  const raw = startingValues({ dimensions: [64, 32, 16], dataType: 'uint16', voxelSizeMm: [0.1, 0.1, 0.2] });

  it('reports every empty field', () => {
    expect(Object.keys(importErrors(asked, emptyImport)).sort()).toEqual([
      'dataType',
      'dimensions',
      'voxelSizeMm',
    ]);
    expect(importErrors(asked, raw)).toEqual({});
  });

  it('refuses lengths that are not positive and voxel counts that are not whole', () => {
    expect(importErrors(['voxelSizeMm'], { ...raw, voxelSizeMm: [0.1, 0, 0.1] })).toHaveProperty(
      'voxelSizeMm',
    );
    expect(importErrors(asked, { ...raw, dimensions: [64, 32.5, 16] })).toHaveProperty('dimensions');
    expect(importErrors(asked, { ...raw, headerBytes: -1 })).toHaveProperty('headerBytes');
  });

  it('compares the description with the size of the file', () => {
    expect(neededBytes(raw)).toBe(64 * 32 * 16 * 2);
    expect(importErrors(asked, raw, 65536)).toEqual({});
    expect(importErrors(asked, raw, 65535).dimensions).toBe('These need 65,536 bytes, the file has 65,535');
    expect(importErrors(asked, { ...raw, headerBytes: 100 }, 65536)).toHaveProperty('dimensions');
  });

  it('allows a compressed file to contain more than its own bytes', () => {
    expect(readableBytes('part.raw', 100)).toBe(100);
    expect(readableBytes('part.raw.gz', 100)).toBeNull();
    expect(readableBytes('part.ZIP', 100)).toBeNull();
    expect(importErrors(asked, raw, readableBytes('part.raw.gz', 100))).toEqual({});
  });

  it('starts from the values suggested by the file and ignores malformed ones', () => {
    expect(startingValues({ voxelSizeMm: [1, 2], unit: 'mm' })).toEqual({ ...emptyImport, unit: 'mm' });
  });
});

describe('The values sent', () => {
  const values = startingValues({ dimensions: [4, 3, 2], dataType: 'uint8', voxelSizeMm: [0.1, 0.1, 0.2] });

  it('are the requested ones and nothing else', () => {
    expect(toRetryInput(['voxelSizeMm'], values)).toEqual({ voxelSizeMm: [0.1, 0.1, 0.2] });
    expect(toRetryInput(listMissingFields(['dimensions']), values)).toEqual({
      dimensions: [4, 3, 2],
      dataType: 'uint8',
      headerBytes: 0,
      voxelSizeMm: [0.1, 0.1, 0.2],
    });
  });

  it('are text in the metadata of an upload', () => {
    expect(toUploadMetadata(toRetryInput(listMissingFields(['dimensions']), values))).toEqual({
      dimensions: '4,3,2',
      dataType: 'uint8',
      headerBytes: '0',
      voxelSizeMm: '0.1,0.1,0.2',
    });
  });
});

describe('An unusual size', () => {
  const suggested = { sizeMm: [0.1, 0.1, 0.05], unit: 'um' };
  const asked = listMissingFields(['sizeConfirmed'], suggested);
  const values = startingValues(suggested);

  it('has to be confirmed, and corrected only if it is wrong', () => {
    expect(asked).toEqual(['sizeConfirmed', 'unit']);
    expect(isAsked('unit', asked, values)).toBe(false);
    expect(isAsked('unit', asked, { ...values, sizeConfirmed: 'no' })).toBe(true);
    expect(importErrors(asked, values)).toHaveProperty('sizeConfirmed');
  });

  it('is confirmed or corrected, never both', () => {
    expect(toRetryInput(asked, { ...values, sizeConfirmed: 'yes' })).toEqual({ sizeConfirmed: true });
    const corrected = { ...values, sizeConfirmed: 'no', unit: 'mm' } as const;
    expect(importErrors(asked, corrected)).toEqual({});
    expect(toRetryInput(asked, corrected)).toEqual({ unit: 'mm' });
  });

  it('of a file that states its unit can only be confirmed', () => {
    const only = listMissingFields(['sizeConfirmed'], { sizeMm: [1e5, 1, 1] });
    expect(only).toEqual(['sizeConfirmed']);
    expect(importErrors(only, { ...emptyImport, sizeConfirmed: 'no' })).toEqual({
      sizeConfirmed: 'Export the file again in the right unit',
    });
  });
});
