import type { NewDataObject } from '../operations/write-results.ts';

/** What one kind of content makes of a file, before the source itself is kept. */
export interface Imported {
  dataObject: Omit<NewDataObject, 'name'>;
  thumbnailPng?: { bytes: Uint8Array; onlyWhenNone: boolean };
  algorithms: Record<string, string>;
  warnings: string[];
}
