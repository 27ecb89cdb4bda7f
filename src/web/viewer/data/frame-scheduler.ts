/**
 * One animation frame for all panes: each draws on demand, at most once per frame, however many changes requested it.
 * Also counts pending loads, so that one can wait until the picture is final.
 */
export class FrameScheduler {
  #wanted = new Set<() => void>();
  #frame: number | null = null;
  #busy = 0;
  #waiting: (() => void)[] = [];
  #disposed = false;

  /** Draws once at the next frame; further requests before that change nothing. */
  request(draw: () => void): void {
    if (this.#disposed) return;
    this.#wanted.add(draw);
    this.#frame ??= requestAnimationFrame(this.#run);
  }

  /** Cancels a pending drawing: its pane is gone. */
  cancel(draw: () => void): void {
    this.#wanted.delete(draw);
    this.#settle();
  }

  /** Marks something as pending (a request, or a timer before one); call the returned function when it is done. */
  begin(): () => void {
    this.#busy++;
    let over = false;
    return () => {
      if (over) return;
      over = true;
      this.#busy--;
      this.#settle();
    };
  }

  /** Resolves when nothing is loading and everything requested has been drawn. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#settle();
    });
  }

  /** Stops drawing and resolves all waiting promises. */
  dispose(): void {
    this.#disposed = true;
    if (this.#frame !== null) cancelAnimationFrame(this.#frame);
    this.#frame = null;
    this.#wanted.clear();
    this.#busy = 0;
    this.#settle();
  }

  #run = (): void => {
    this.#frame = null;
    const draws = [...this.#wanted];
    this.#wanted.clear();
    for (const draw of draws) draw();
    this.#settle();
  };

  #settle(): void {
    if (this.#busy > 0 || this.#wanted.size > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }
}
