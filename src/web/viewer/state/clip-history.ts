import type { ViewState } from '#contract/shapes/view-state.ts';

type Clips = ViewState['clips'];

/** Manual changes in such quick succession, like those of a drag, count as one. */
const oneChangeMs = 600;
const mostUndone = 50;

/** Previous clips, for undo. */
export class ClipHistory {
  #before: Clips[] = [];
  #changedAt = 0;
  #changedTo = '';

  /** A change from elsewhere since the last one, such as by a link, is a step of its own, however quick. */
  note(before: Clips, after: Clips, nowMs: number): void {
    if (JSON.stringify(before) !== this.#changedTo || nowMs - this.#changedAt > oneChangeMs)
      this.#before = [...this.#before.slice(1 - mostUndone), before];
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
