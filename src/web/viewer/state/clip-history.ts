import type { ViewState } from '#contract/shapes/view-state.ts';

type Clips = ViewState['clips'];

/** Manual changes in such quick succession, like those of a slider, count as one. */
const oneChangeMs = 600;
const maxUndoSteps = 50;

/** Previous clips, for undo. */
export class ClipHistory {
  #before: Clips[] = [];
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

  /** A change from elsewhere since the last one, such as by a link, is a step of its own, however quick. */
  note(before: Clips, after: Clips, nowMs: number): void {
    const isLate = !this.#isHeld && nowMs - this.#changedAt > oneChangeMs;
    if (JSON.stringify(before) !== this.#changedTo || isLate)
      this.#before = [...this.#before.slice(1 - maxUndoSteps), before];
    this.#changedAt = nowMs;
    this.#changedTo = JSON.stringify(after);
  }

  get isEmpty(): boolean {
    return this.#before.length === 0;
  }

  takeLast(): Clips | null {
    this.#changedTo = '';
    return this.#before.pop() ?? null;
  }
}
