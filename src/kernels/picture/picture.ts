/** A picture of 8-bit samples, rows from the top; channels: 1 = grey, 3 = RGB, 4 = RGBA. */
export interface Picture {
  width: number;
  height: number;
  channels: 1 | 3 | 4;
  /** width · height · channels */
  samples: Uint8Array;
}
