import type { FileDataKind } from '#contract/analyses/data-kinds.ts';
import type { SourceFile } from '#contract/metadata/file.ts';
import type { DataContent } from '#contract/shapes/data-object.ts';
import type { StoredFile } from '../results/write-results.ts';

/** Result of importing one kind of content, before the source itself is stored. */
export interface Imported {
  /** describes the data object, once the source is known */
  describe: (source: SourceFile) => DataContent<FileDataKind>;
  /** besides the source */
  files: StoredFile[];
  volume?: { key: string; sizeBytes: number };
  thumbnailPng?: { bytes: Uint8Array; onlyWhenNone: boolean };
  algorithms: Record<string, string>;
  warnings: string[];
}
