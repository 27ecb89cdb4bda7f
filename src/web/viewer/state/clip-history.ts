import type { ViewState } from '#contract/shapes/view-state.ts';

type Clips = ViewState['clips'];

/** Manual changes in such quick succession, like those of a slider, count as one. */
const oneChangeMs = 600;
const maxUndoSteps = 50;

interface Step {
  before: Clips;
  /** removes the step from the page's undo */
  forget: () => void;
}

/** Previous clips, for undo. */
export class ClipHistory {
  /**
   * Adds a step to the undo of the page, which calls `undo` for the last one first; set by the page.
   * @returns a function that removes it there
   */
  remember: (undo: () => void) => () => void = () => () => undefined;
  #steps: Step[] = [];
  #changedAt = 0;
  #changedTo = '';
  #isHeld = false;

  /** Begins a drag: until `release` all changes count as one, however slow. */
  hold(): void {
    this.#isHeld = true;
    this.#changedTo = '';
  }

  release(): void {
    this.#isHeld = false;
    this.#changedTo = '';
  }

  /**
   * A change from elsewhere since the last one, such as by a link, is a step of its own, however quick.
   * @param undo undoes the last step
   */
  note(before: Clips, after: Clips, nowMs: number, undo: () => void): void {
    const isLate = !this.#isHeld && nowMs - this.#changedAt > oneChangeMs;
    if (JSON.stringify(before) !== this.#changedTo || isLate) {
      this.#steps.push({ before, forget: this.remember(undo) });
      if (this.#steps.length > maxUndoSteps) this.#steps.shift()?.forget();
    }
    this.#changedAt = nowMs;
    this.#changedTo = JSON.stringify(after);
  }

  get isEmpty(): boolean {
    return this.#steps.length === 0;
  }

  takeLast(): Clips | null {
    this.#changedTo = '';
    const last = this.#steps.pop();
    last?.forget();
    return last?.before ?? null;
  }

  dispose(): void {
    for (const { forget } of this.#steps.splice(0)) forget();
  }
}
