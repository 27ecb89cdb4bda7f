import { isUnfinished } from '#contract/base/primitives.ts';
import type { Operation } from '#web/api/generated/types.gen.ts';

type Watched = Pick<Operation, 'id' | 'status' | 'createdAt'>;

/**
 * Detects which operations of a list have ended since the page was opened, whether they were seen running or ended too
 * quickly for that.
 */
export class EndWatch {
  readonly #running = new Set<string>();
  readonly #ended = new Set<string>();
  /** creation time of the newest operation in the first current list; undefined before that list */
  #newest: string | undefined;

  /**
   * @param isCurrent false for a list cached from an earlier visit: operations that ended since then are not news
   * @returns operations that have ended since the previous call
   */
  look<Each extends Watched>(operations: readonly Each[], isCurrent: boolean): Each[] {
    const newest = this.#newest;
    const ended = operations.filter(({ id, status, createdAt }) => {
      if (isUnfinished(status)) {
        this.#running.add(id);
        return false;
      }
      const wasRunning = this.#running.delete(id);
      const isNew = newest !== undefined && createdAt > newest && !this.#ended.has(id);
      this.#ended.add(id);
      return wasRunning || isNew;
    });
    if (isCurrent)
      this.#newest ??= operations.map(({ createdAt }) => createdAt).reduce((a, b) => (a > b ? a : b), '');
    return ended;
  }
}
