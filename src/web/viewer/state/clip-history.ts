import type { ViewState } from '#contract/shapes/view-state.ts';

type Clips = ViewState['clips'];

/** Changes by hand that follow each other so fast are one, such as those of a drag. */
const oneChangeMs = 600;
const mostUndone = 50;

/** What was cut before, to go back to. */
export class ClipHistory {
  #before: Clips[] = [];
  #changedAt = 0;
  #changedTo = '';

  /** What came from elsewhere since the last change, as from a link, is a step of its own, however fast. */
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
