/**
 * Processes for work, each running one piece at a time. Everything that reads user files or computes runs here: it can
 * be killed at any moment, and its memory (heap, buffers, WebAssembly) and time are limited. A process that ended its
 * work well is reused.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Config } from '#storage/config.ts';
import { WorkLost } from '#storage/work/life.ts';
import type { Settlement, Task } from './carry-out.ts';
import { type Limits, machineMemoryBytes } from './limits.ts';
import type { FromProcess, ToProcess } from './serve-work.ts';
import { CancelRequested, WorkerStopping } from './work.ts';
import type { Report } from './work-run.ts';

/** Time for cancelled work to stop by itself. */
const GRACE_MS = 400;
const LOOK_MS = 100;
/** A process that held more is not reused, so that its memory is returned to the machine. */
const KEPT_BYTES = 512 * 1024 ** 2;
/** A process idle for this long ends, except for the last one. */
const IDLE_MS = 60_000;
const WARM = 1;
/**
 * A process that has not started within this time is given up, and its work waits for another one with twice the time:
 * on an overloaded machine each of them would otherwise be killed shortly before it starts.
 */
const START_MS = { first: 30_000, most: 480_000 };

/**
 * The process ended before its work. `stopped`: it was killed because the work did not stop by itself. `unbegun`:
 * before the work started.
 */
export interface Death {
  died: 'memory' | 'time' | 'stall' | 'stopped' | 'unbegun' | 'unknown';
  /** exit status of the process, for the log */
  exit: string;
}

export interface ProcessOptions {
  /** script of the process */
  script: URL;
  config: Config;
  databaseUrl: string;
  version: string;
}

/** As many processes as concurrent pieces of work. */
export class WorkProcesses {
  readonly #options: ProcessOptions;
  readonly #all = new Set<WorkProcess>();
  readonly #idle: { process: WorkProcess; since: number }[] = [];
  readonly #timer: NodeJS.Timeout;
  #isClosed = false;
  #startMs = START_MS.first;

  constructor(options: ProcessOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#endOldest(), IDLE_MS / 4).unref();
    this.#keepWarm();
  }

  async carryOut(
    task: Task,
    limits: Limits,
    signal: AbortSignal,
    report: Report,
  ): Promise<Settlement | Death> {
    let process = this.#idle.pop()?.process;
    while (process && !process.isUsable) process = this.#idle.pop()?.process;
    process ??= this.#start();
    const startMs = this.#startMs;
    const outcome = await process.carryOut(task, { ...limits, startMs }, signal, report);
    const hasBegun = typeof outcome === 'string' || 'moveTo' in outcome || outcome.died !== 'unbegun';
    this.#startMs = hasBegun ? START_MS.first : Math.min(START_MS.most, 2 * startMs);
    if (process.isUsable && !this.#isClosed) this.#idle.push({ process, since: Date.now() });
    else process.kill();
    this.#keepWarm();
    return outcome;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#timer);
    for (const process of this.#all) process.kill();
    await Promise.all([...this.#all].map(({ ended }) => ended));
  }

  #start(): WorkProcess {
    const process = new WorkProcess(this.#options);
    this.#all.add(process);
    void process.ended.then(() => {
      this.#all.delete(process);
      const at = this.#idle.findIndex((idle) => idle.process === process);
      if (at >= 0) this.#idle.splice(at, 1);
    });
    return process;
  }

  /** Starting a process takes a moment, so one is kept waiting for the next work. */
  #keepWarm(): void {
    while (!this.#isClosed && this.#idle.length < WARM) {
      this.#idle.unshift({ process: this.#start(), since: Date.now() });
    }
  }

  #endOldest(): void {
    const old = Date.now() - IDLE_MS;
    while (this.#idle.length > WARM && (this.#idle[0]?.since ?? old) < old)
      this.#idle.shift()?.process.kill();
  }
}

class WorkProcess {
  /** resolves with how it ended */
  readonly ended: Promise<string>;
  readonly #child: ChildProcess;
  #heldBytes = 0;
  #hasEnded = false;

  constructor({ script, ...open }: ProcessOptions) {
    const drizzle = new URL('../../drizzle-as-commonjs.ts', import.meta.url).href;
    // V8's own heap limit is never reached, because its failure looks like any other crash.
    const heapMegabytes = Math.ceil((2 * machineMemoryBytes()) / 1024 ** 2);
    this.#child = fork(script, {
      execArgv: ['--import', drizzle, `--max-old-space-size=${heapMegabytes}`],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      serialization: 'advanced',
    });
    this.ended = new Promise((resolve) => {
      const end = (how: string) => {
        this.#hasEnded = true;
        resolve(how);
      };
      this.#child.once('exit', (code, signal) => end(signal ?? `code ${code}`));
      this.#child.once('error', (error) => end(error.message));
    });
    this.#send({ open });
  }

  get isUsable(): boolean {
    return !this.#hasEnded && this.#heldBytes < KEPT_BYTES;
  }

  kill(): void {
    this.#child.kill('SIGKILL');
  }

  /** @param limits beyond which it is killed */
  async carryOut(
    task: Task,
    limits: Limits & { startMs: number },
    signal: AbortSignal,
    report: Report,
  ): Promise<Settlement | Death> {
    const { promise, resolve } = Promise.withResolvers<Settlement>();
    let died: Death['died'] = 'unbegun';
    const end = (cause: Death['died']) => {
      died = cause;
      this.kill();
    };
    const takenAt = performance.now();
    let beganAt: number | undefined;
    let movedAt = takenAt;
    let isOver = false;
    let hasEnded = false;
    let grace: NodeJS.Timeout | undefined;
    const onMessage = (message: FromProcess) => {
      if ('settlement' in message) return resolve(message.settlement);
      movedAt = performance.now();
      if ('ends' in message) {
        // No heartbeat protects it any more, which must not affect the following work.
        hasEnded = true;
        clearTimeout(grace);
        return;
      }
      if ('begins' in message) {
        beganAt = movedAt;
        died = 'unknown';
      } else report(message.progress, message.stage);
    };
    const look = async () => {
      const now = performance.now();
      if (beganAt === undefined) {
        if (now - takenAt > limits.startMs) end('unbegun');
      } else if (now - beganAt > limits.seconds * 1000) end('time');
      else if (now - movedAt > limits.stallSeconds * 1000) end('stall');
      const heldBytes = await this.#measure();
      // It may have gone on to other work, which must not be affected.
      if (isOver) return;
      this.#heldBytes = heldBytes;
      if (heldBytes > limits.memoryBytes) end('memory');
    };
    const stop = () => {
      const { reason } = signal;
      if (hasEnded && reason instanceof WorkLost) return;
      const why =
        reason instanceof CancelRequested ? 'cancel' : reason instanceof WorkerStopping ? 'end' : 'lost';
      this.#send({ stop: why });
      grace = setTimeout(() => end('stopped'), GRACE_MS);
    };
    this.#child.on('message', onMessage);
    const timer = setInterval(() => void look(), LOOK_MS);
    signal.addEventListener('abort', stop, { once: true });
    try {
      this.#send({ task });
      if (signal.aborted) stop();
      return await Promise.race([promise, this.ended.then((exit) => ({ died, exit }))]);
    } finally {
      isOver = true;
      clearInterval(timer);
      clearTimeout(grace);
      signal.removeEventListener('abort', stop);
      this.#child.off('message', onMessage);
    }
  }

  /** All memory it holds, resident or swapped; Linux only. */
  async #measure(): Promise<number> {
    const status = await readFile(`/proc/${this.#child.pid}/status`, 'latin1').catch(() => '');
    const kibibytes = [...status.matchAll(/^Vm(?:RSS|Swap):\s+(\d+)/gm)].map(([, number]) => Number(number));
    return kibibytes.reduce((sum, number) => sum + number, 0) * 1024;
  }

  #send(message: ToProcess): void {
    // If it has just ended, its own event reports that.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }
}
