import type { PixelBox } from '../grid/pane-layout.ts';

export interface Pane extends PixelBox {
  /** rows from the top */
  picture: {
    width: number;
    channels: 3 | 4;
    samples: Uint8Array;
  };
}

/** sRGB bytes: one colour, or a gradient from the top to the bottom of a pane. */
export type Ground = Three | readonly [Three, Three];
type Three = readonly [number, number, number];

/** Fills the whole pane, opaque. */
export function fillPane({ picture, x, y, width, height }: Pane, ground: Ground): void {
  const { channels, samples } = picture;
  for (let row = 0; row < height; row++) {
    const start = ((y + row) * picture.width + x) * channels;
    const end = start + width * channels;
    samples.set(groundAt(ground, (row + 0.5) / height), start);
    if (channels === 4) samples[start + 3] = 255;
    // Copying with doubled length takes a few calls per row instead of several hundred.
    for (let done = channels; start + done < end; done *= 2)
      samples.copyWithin(start + done, start, Math.min(start + done, end - done));
  }
}

/** @param share position from the top (0) to the bottom (1) */
export function groundAt(ground: Ground, share: number): Three {
  if (!isFading(ground)) return ground;
  const [top, bottom] = ground;
  const mix = (k: 0 | 1 | 2) => Math.round(top[k] + (bottom[k] - top[k]) * share);
  return [mix(0), mix(1), mix(2)];
}

const isFading = (ground: Ground): ground is readonly [Three, Three] => typeof ground[0] !== 'number';
