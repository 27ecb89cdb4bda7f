import { Arena, type Mark } from '../arena.ts';

/** An arena that says how much of it was in use at once. */
export class MeasuredArena extends Arena {
  #live: { address: number; bytes: number }[] = [];
  #most = 0;
  #bytes = 0;

  /** Bytes in use at once, at most, of everything or of what is exactly so large. */
  mostOf(work: () => Promise<unknown>, bytes = 0): Promise<number> {
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
