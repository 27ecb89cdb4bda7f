/** A picture of 8-bit samples, rows from the top; 1 sample a pixel is grey, 3 are RGB, 4 are RGBA. */
export interface Picture {
  width: number;
  height: number;
  channels: 1 | 3 | 4;
  /** width · height · channels */
  samples: Uint8Array;
}
