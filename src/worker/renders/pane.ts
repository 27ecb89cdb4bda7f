import type { Picture } from '#formats/png/picture.ts';

/** A part of a picture of three samples a pixel; x and y of its upper left corner. */
export interface Pane {
  picture: Picture;
  x: number;
  y: number;
  width: number;
  height: number;
}

export function fill({ picture, x, y, width, height }: Pane, [red, green, blue]: readonly number[]): void {
  for (let row = y; row < y + height; row++) {
    let at = (row * picture.width + x) * 3;
    for (let column = 0; column < width; column++, at += 3) {
      picture.samples[at] = red;
      picture.samples[at + 1] = green;
      picture.samples[at + 2] = blue;
    }
  }
}
