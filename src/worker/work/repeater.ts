/**
 * Runs one action at a time. If it is requested while running, it runs once more, because it may have read older state.
 */
export class Repeater {
  readonly #act: () => Promise<void>;
  readonly #onError: (err: unknown) => void;
  #isWanted = false;
  #settled: Promise<void> | undefined;

  /** @param onError receives errors of `act`; requests made meanwhile are dropped until the next one */
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

  /** Resolves when it is not running. */
  async settle(): Promise<void> {
    await this.#settled;
  }
}
