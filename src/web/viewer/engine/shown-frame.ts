import type { SceneState } from './layer.ts';

/** Everything that a frame on the canvas depends on. */
export interface Frame {
  state: SceneState;
  /** changes with each surface, reference or volume set */
  dataVersion: number;
  widthPx: number;
  heightPx: number;
  pixelRatio: number;
  /** dark background of the page */
  isOnDark: boolean;
  /** antialiased, as at rest */
  isFine: boolean;
}

/**
 * The frame that the canvas shows. A change of the view that leaves the scene as it is, such as another tool or a
 * label, then draws nothing: one antialiased frame takes 0.3 s of processor time in software.
 */
export class ShownFrame {
  #key = '';
  #lut: unknown;
  #places: unknown;
  #isFine = false;

  /** Returns whether the canvas lacks this frame, which the caller then draws. A finer one replaces a coarse one. */
  isNew({ state, isFine, ...size }: Frame): boolean {
    // Both may be long, and are other objects whenever they change.
    const { lut, places, ...rest } = state;
    const key = JSON.stringify([rest, size]);
    const isSame = key === this.#key && lut === this.#lut && places === this.#places;
    if (isSame && (this.#isFine || !isFine)) return false;
    this.#key = key;
    this.#lut = lut;
    this.#places = places;
    this.#isFine = isFine;
    return true;
  }

  /** The canvas may have lost its picture. */
  forget(): void {
    this.#key = '';
  }
}
