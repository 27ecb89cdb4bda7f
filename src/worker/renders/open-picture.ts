import { fillPane, type Pane } from '#kernels/picture/pane.ts';
import type { Picture } from '#kernels/picture/picture.ts';

const gapColour = [0x2a, 0x30, 0x36] as const;

/** A picture in which no pane is drawn yet. */
export function openPicture(width: number, height: number): Picture & Pane['picture'] {
  const picture = { width, height, channels: 3 as const, samples: new Uint8Array(width * height * 3) };
  fillPane({ picture, x: 0, y: 0, width, height }, gapColour);
  return picture;
}
