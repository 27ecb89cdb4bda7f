/** A part of a picture; x and y of its upper left corner. */
export interface Pane {
  /** rows from the top */
  picture: {
    width: number;
    channels: 3 | 4;
    samples: Uint8Array;
  };
  x: number;
  y: number;
  width: number;
  height: number;
}

/** Fills all of it, opaque. */
export function fillPane(
  { picture, x, y, width, height }: Pane,
  colour: readonly [number, number, number],
): void {
  const { channels, samples } = picture;
  for (let row = y; row < y + height; row++) {
    let at = (row * picture.width + x) * channels;
    for (let column = 0; column < width; column++, at += channels) {
      samples.set(colour, at);
      if (channels === 4) samples[at + 3] = 255;
    }
  }
}
