import type { WrittenBlob } from '../work/work-blobs.ts';

export interface MadeView {
  blob: WrittenBlob;
  fileName: string;
  mediaType: string;
  /** what the view is, beside what was asked for: a RAW file does not say it */
  facts: Record<string, unknown>;
}
