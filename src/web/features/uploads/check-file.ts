import { blobSource } from '#formats/bytes/byte-source.ts';
import { type Estimate, estimate } from '#formats/estimate.ts';
import { FormatError } from '#formats/format-error.ts';
import { estimateRadiographs } from '#formats/radiographs/estimate-radiographs.ts';
import type { RadiographHints } from '#formats/radiographs/open-radiographs.ts';

export type FileCheck = { estimate: Estimate } | { refused: string };

/**
 * Determines from its header what a file is and what its import takes; a `File` can be read in parts. Loaded only on
 * upload, because it includes every reader.
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
