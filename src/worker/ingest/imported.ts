import type { FileDataKind } from '#contract/analyses/data-kinds.ts';
import type { SourceFile } from '#contract/metadata/file.ts';
import type { DataContent } from '#contract/shapes/data-object.ts';
import type { StoredFile } from '../results/write-results.ts';

/** What one kind of content makes of a file, before the source itself is kept. */
export interface Imported {
  /** what the data object is, once the source is known */
  describe: (source: SourceFile) => DataContent<FileDataKind>;
  /** beside the source */
  files: StoredFile[];
  volume?: { key: string; sizeBytes: number };
  thumbnailPng?: { bytes: Uint8Array; onlyWhenNone: boolean };
  algorithms: Record<string, string>;
  warnings: string[];
}
