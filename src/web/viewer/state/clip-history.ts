import type { ViewState } from '#contract/shapes/view-state.ts';

type Clips = ViewState['clips'];

/** Changes that follow each other so fast are one, such as those of a drag. */
const oneChangeMs = 600;
const mostUndone = 50;

/** What was cut before, to go back to. */
export class ClipHistory {
  #before: Clips[] = [];
  #changedAt = 0;

  note(clips: Clips, nowMs: number): void {
    if (nowMs - this.#changedAt > oneChangeMs) this.#before = [...this.#before.slice(1 - mostUndone), clips];
    this.#changedAt = nowMs;
  }

  get isEmpty(): boolean {
    return this.#before.length === 0;
  }

  takeLast(): Clips | null {
    this.#changedAt = 0;
    return this.#before.pop() ?? null;
  }
}
