import { isUnfinished } from '#contract/base/primitives.ts';
import type { Operation } from '#web/api/generated/types.gen.ts';

type Watched = Pick<Operation, 'id' | 'status' | 'createdAt'>;

/** Which operations of a list have ended since somebody looks at it, whether they were seen running or were too quick for it. */
export class EndWatch {
  readonly #running = new Set<string>();
  readonly #ended = new Set<string>();
  /** when the newest was asked for that the first current list had; undefined before there was one */
  #newest: string | undefined;

  /**
   * @param isCurrent false for a list that was kept from an earlier visit: what has ended since then is no news
   * @returns those that have ended since the look before
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
