import type { ViewState } from '#contract/shapes/view-state.ts';
import { Signal } from './signal.ts';
import { roundedState } from './view-state.ts';

/** How long nothing may change before the state counts as settled (browsers limit writes to the address). */
export const settleMs = 250;

/**
 * The one view state of a viewer. Every change is heard at once by the panes, which draw it at the next frame; the
 * owner of the page hears only of settled states.
 */
export class ViewStore {
  readonly signal: Signal<ViewState>;
  readonly #onSettled: (state: ViewState) => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #lastReported: string;

  constructor(initial: ViewState, onSettled: (state: ViewState) => void) {
    this.signal = new Signal(roundedState(initial));
    this.#lastReported = JSON.stringify(this.signal.get());
    this.#onSettled = onSettled;
  }

  get = (): ViewState => this.signal.get();

  /** Changes some fields; numbers are made canonical before anything draws them. */
  update(change: Partial<ViewState>): void {
    this.signal.set(roundedState({ ...this.get(), ...change }));
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = setTimeout(this.#report, settleMs);
  }

  updateSurface(change: Partial<ViewState['surface']>): void {
    this.update({ surface: { ...this.get().surface, ...change } });
  }

  /** Takes over a state from outside (a link, a bookmark) without reporting it back. */
  replace(state: ViewState): void {
    const next = roundedState(state);
    const text = JSON.stringify(next);
    if (text === JSON.stringify(this.get())) return;
    this.#lastReported = text;
    this.signal.set(next);
  }

  dispose(): void {
    if (this.#timer) clearTimeout(this.#timer);
  }

  #report = (): void => {
    this.#timer = null;
    const state = this.get();
    const text = JSON.stringify(state);
    if (text === this.#lastReported) return;
    this.#lastReported = text;
    this.#onSettled(state);
  };
}
