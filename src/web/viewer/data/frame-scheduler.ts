/**
 * One animation frame for all panes: drawing happens on demand, at most once a frame and pane, however many
 * changes asked for it. Also knows what is still on its way, so that one can wait until the picture is final.
 */
export class FrameScheduler {
  #wanted = new Set<() => void>();
  #frame: number | null = null;
  #busy = 0;
  #waiting: (() => void)[] = [];
  #disposed = false;

  /** Draws once at the next frame; asking again before that changes nothing. */
  request(draw: () => void): void {
    if (this.#disposed) return;
    this.#wanted.add(draw);
    this.#frame ??= requestAnimationFrame(this.#run);
  }

  /** Forgets a drawing that has not happened yet: its pane is gone. */
  cancel(draw: () => void): void {
    this.#wanted.delete(draw);
    this.#settle();
  }

  /** Marks something on its way (a request, a timer before one); call what it returns when it is over. */
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

  /** Resolves when nothing is loading and everything that was asked for has been drawn. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
      this.#settle();
    });
  }

  /** No more frames; who waits is let go. */
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
