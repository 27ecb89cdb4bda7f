import { blobSource } from '#formats/bytes/byte-source.ts';
import { type Estimate, estimate } from '#formats/estimate.ts';
import { FormatError } from '#formats/format-error.ts';
import { estimateRadiographs } from '#formats/radiographs/estimate-radiographs.ts';
import type { RadiographHints } from '#formats/radiographs/open-radiographs.ts';

export type FileCheck = { estimate: Estimate } | { refused: string };

/**
 * What a file is and what reading it will take, from its header alone: a `File` gives its parts without being
 * read whole. Loaded only when somebody uploads, because it brings every reader with it.
 */
export async function checkFile(file: File, hints: RadiographHints): Promise<FileCheck> {
  try {
    const sources = [blobSource(file)];
    return { estimate: (await estimateRadiographs(sources, hints)) ?? (await estimate(sources, hints)) };
  } catch (error) {
    if (error instanceof FormatError) return { refused: error.message };
    if (error instanceof DOMException)
      return { refused: `${file.name} can’t be read from this computer: ${error.message}` };
    throw error;
  }
}
