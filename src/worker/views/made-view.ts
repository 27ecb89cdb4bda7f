import type { WrittenBlob } from '../work/work-blobs.ts';

export interface MadeView {
  blob: WrittenBlob;
  fileName: string;
  mediaType: string;
  /** properties of the view besides the request, which a RAW file cannot state */
  facts: Record<string, unknown>;
}
