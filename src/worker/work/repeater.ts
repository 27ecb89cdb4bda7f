/**
 * Does one thing, once at a time. Asked while it is done, it is done once more: what it has read by then may be older than
 * what it was asked for.
 */
export class Repeater {
  readonly #act: () => Promise<void>;
  readonly #onError: (err: unknown) => void;
  #isWanted = false;
  #settled: Promise<void> | undefined;

  /** @param onError hears of what `act` throws; what was asked for meanwhile is left to whoever asks next */
  constructor(act: () => Promise<void>, onError: (err: unknown) => void) {
    this.#act = act;
    this.#onError = onError;
  }

  request(): void {
    this.#isWanted = true;
    this.#settled ??= (async () => {
      while (this.#isWanted) {
        this.#isWanted = false;
        await this.#act();
      }
    })()
      .catch(this.#onError)
      .finally(() => {
        this.#settled = undefined;
      });
  }

  /** Resolves when nothing of it is under way. */
  async settle(): Promise<void> {
    await this.#settled;
  }
}
