import type { ViewState } from '#contract/shapes/view-state.ts';
import { Signal } from './signal.ts';
import { roundedState } from './view-state.ts';

/** How long nothing may change before the state counts as settled (browsers limit writes to the address). */
export const settleMs = 250;

/** How long a reported state may take to come back from the owner (through an address) without being news. */
const echoMs = 2000;

/**
 * The one view state of a viewer. Every change is heard at once by the panes, which draw it at the next frame; the
 * owner of the page hears only of settled states.
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
   * Takes over a state from outside (a link, a bookmark) without reporting it back. One that this store reported a
   * moment ago only comes back from the address: taking it over would throw a moving hand back.
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
