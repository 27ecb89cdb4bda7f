import type { ViewState } from '#contract/shapes/view-state.ts';
import { Signal } from './signal.ts';
import { roundedState } from './view-state.ts';

/** Time without changes after which the state counts as settled (browsers limit updates of the address). */
export const settleMs = 250;

/** Time within which a reported state may come back from the owner (through the address) without counting as new. */
const echoMs = 2000;

/**
 * The view state of a viewer. Panes are notified of every change at once and draw it at the next frame; the owner of
 * the page is notified only of settled states.
 */
export class ViewStore {
  readonly signal: Signal<ViewState>;
  readonly #onSettled: (state: ViewState) => void;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #lastReported: string;
  #echoes: { text: string; at: number }[] = [];

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

  updateVolume(change: Partial<ViewState['volume']>): void {
    this.update({ volume: { ...this.get().volume, ...change } });
  }

  /**
   * Applies a state from outside (a link, a bookmark) without reporting it back. A state that this store has just
   * reported is ignored when it returns through the address; applying it would undo a movement in progress.
   */
  replace(state: ViewState): void {
    const next = roundedState(state);
    const text = JSON.stringify(next);
    const echo = this.#echoes.findIndex((each) => each.text === text && Date.now() - each.at < echoMs);
    if (echo >= 0) {
      this.#echoes.splice(0, echo + 1);
      return;
    }
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
    this.#echoes = [...this.#echoes.slice(-9), { text, at: Date.now() }];
    this.#onSettled(state);
  };
}
