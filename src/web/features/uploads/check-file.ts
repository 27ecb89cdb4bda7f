import { blobSource } from '#formats/bytes/byte-source.ts';
import { FormatError } from '#formats/format-error.ts';
import { type Estimate, estimate } from '#formats/import.ts';
import type { ImportHints } from '#formats/volume/volume-header.ts';

export type FileCheck = { estimate: Estimate } | { refused: string };

/**
 * What a file is and what reading it will take, from its header alone: a `File` gives its parts without being
 * read whole. Loaded only when somebody uploads, because it brings every reader with it.
 */
export async function checkFile(file: File, hints: ImportHints): Promise<FileCheck> {
  try {
    return { estimate: await estimate([blobSource(file)], hints) };
  } catch (error) {
    if (error instanceof FormatError) return { refused: error.message };
    if (error instanceof DOMException)
      return { refused: `${file.name} can’t be read from this computer: ${error.message}` };
    throw error;
  }
}
