import { Arena, type Mark } from '../arena.ts';

/** An arena that records its peak use. */
export class MeasuredArena extends Arena {
  #live: { address: number; bytes: number }[] = [];
  #most = 0;
  #bytes = 0;

  /** Peak number of bytes in use, of all allocations or only of those of exactly this size. */
  measurePeak(work: () => Promise<unknown>, bytes = 0): Promise<number> {
    this.#bytes = bytes;
    this.#most = 0;
    return work().then(() => this.#most);
  }

  override allocate(bytes: number, purpose: string): number {
    const address = super.allocate(bytes, purpose);
    this.#live.push({ address, bytes });
    const counted = this.#live.filter((each) => this.#bytes === 0 || each.bytes === this.#bytes);
    this.#most = Math.max(
      this.#most,
      counted.reduce((sum, each) => sum + each.bytes, 0),
    );
    return address;
  }

  override giveBack(address: number, bytes: number): void {
    super.giveBack(address, bytes);
    this.#forget();
  }

  override release(mark?: Mark): void {
    super.release(mark);
    this.#forget();
  }

  #forget(): void {
    const free = this.mark();
    this.#live = this.#live.filter(
      ({ address }) => !free.some(({ from, to }) => address >= from && address < to),
    );
  }
}
