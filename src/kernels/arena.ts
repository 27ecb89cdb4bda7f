import { KernelError } from './kernel-error.ts';
import {
  type Address,
  type LayoutFields,
  type LayoutName,
  layoutBytes,
  maximumPages,
  pageBytes,
  sharedMemory,
  type WasmMemory,
  writeLayout,
} from './simd/webassembly.ts';
import type { OnArena, Task } from './task.ts';

export interface RunOptions {
  /** checked before the task starts; a running task is short and runs to its end */
  signal?: AbortSignal;
}

/** Threads that run kernel tasks. */
export interface KernelPool {
  /** number of concurrent tasks */
  readonly threads: number;
  /** when aborted, no task starts any more; set by `stoppedBy` */
  readonly signal?: AbortSignal | undefined;
  /** Rejects with the signal's reason when aborted before the task started, or with the task's error. */
  run<Input extends OnArena, Output>(
    task: Task<Input, Output>,
    input: NoInfer<Input>,
    options?: RunOptions,
  ): Promise<Output>;
  /**
   * Like `run`, for small tasks in sequence on one thread and the same memory; outputs in order. Waking a thread for
   * each would take longer than many of the tasks.
   */
  runEach<Input extends OnArena, Output>(
    task: Task<Input, Output>,
    inputs: readonly NoInfer<Input>[],
    options?: RunOptions,
  ): Promise<Output[]>;
  /** Memory for one piece of work; returned to the pool afterwards in any case, unless it was handed over. */
  withArena<Result>(work: (arena: Arena) => Promise<Result>): Promise<Result>;
}

const gibibyte = 1024 ** 3;
/** The first page stays free: the compiled module may keep constants there. */
const firstAddress = pageBytes;
const maxBytes = maximumPages * pageBytes;

const refuse = (purpose: string, bytes: number) =>
  new KernelError(
    'TOO_LARGE',
    `${purpose} would need ${(bytes / gibibyte).toFixed(1)} GiB of working memory, and 4 GiB is the limit: choose a region of the scan, or a coarser one.`,
  );

/** Addresses from … to−1. */
interface Range {
  from: number;
  to: number;
}
/** Free ranges in address order: the first one that is large enough is used. */
export type Mark = readonly Readonly<Range>[];

/** An array of unknown final length, with its address range. */
export interface GrowingArray {
  readonly address: number;
  readonly room: Readonly<Range>;
}

/**
 * Memory of one piece of work: allocated from the bottom up, released as a whole or down to a mark. It is not cleared;
 * every kernel writes what it later reads.
 */
export class Arena {
  readonly memory: WasmMemory = sharedMemory();
  #free: Mark = [{ from: firstAddress, to: maxBytes }];
  #isHandedOver = false;
  /** threads that work on it */
  pool: KernelPool;

  constructor(pool: KernelPool) {
    this.pool = pool;
  }

  get threads(): number {
    return this.pool.threads;
  }

  get signal(): AbortSignal | undefined {
    return this.pool.signal;
  }

  /** Runs a task on this memory. */
  run<Input extends OnArena, Output>(
    task: Task<Input, Output>,
    input: NoInfer<Omit<Input, 'memory'>>,
  ): Promise<Output> {
    return this.pool.run(task, { ...input, memory: this.memory } as Input);
  }

  /** Runs small tasks in sequence on one thread. */
  runEach<Input extends OnArena, Output>(
    task: Task<Input, Output>,
    inputs: readonly NoInfer<Omit<Input, 'memory'>>[],
  ): Promise<Output[]> {
    return this.pool.runEach(
      task,
      inputs.map((input) => ({ ...input, memory: this.memory }) as Input),
    );
  }

  /** Current size of the memory in bytes, used or not. */
  get size(): number {
    return this.memory.buffer.byteLength;
  }

  /** A result references this memory: nothing else may use it afterwards. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  handOver(): void {
    this.#isHandedOver = true;
  }

  /** @throws KernelError TOO_LARGE beyond the 4 GiB of 32-bit addresses */
  allocate(bytes: number, purpose: string): number {
    const taken = Math.ceil((bytes + 16) / 16) * 16;
    const place = this.#free.find(({ from, to }) => from + taken <= to);
    if (!place) throw refuse(purpose, (this.#free.at(-1)?.from ?? maxBytes) + taken);
    this.#grow(place.from + taken, purpose);
    this.#free = this.#free.map((each) => (each === place ? { ...each, from: each.from + taken } : each));
    return place.from;
  }

  /**
   * Reserves growing arrays of unknown final length: each gets its share of half of the free memory above everything
   * else. Only written pages take real memory. End with `settle`.
   */
  reserve(shares: readonly number[]): GrowingArray[] {
    const { from, to } = this.#free.at(-1) ?? { from: maxBytes, to: maxBytes };
    const sum = shares.reduce((all, share) => all + share, 0);
    const each = (to - from) / 2 / sum;
    let end = to;
    const arrays = shares.toReversed().map((share): GrowingArray => {
      const room = { from: Math.ceil((end - each * share) / 16) * 16, to: end };
      end = room.from;
      return { address: room.from, room };
    });
    this.#free = [...this.#free.slice(0, -1), { from, to: end }];
    return arrays.reverse();
  }

  /** Makes sure that an array has this many bytes. @throws KernelError TOO_LARGE */
  extend({ address, room }: GrowingArray, bytes: number, purpose: string): void {
    const end = address + bytes + 16;
    if (end > room.to) throw refuse(purpose, maxBytes + end - room.to);
    this.#grow(end, purpose);
  }

  /** Ends growing and frees what is not needed. Nothing allocated after `reserve` may be in use. */
  settle(arrays: readonly GrowingArray[], bytes: readonly number[]): void {
    const gaps = arrays.map(({ address, room }, i) => ({
      from: Math.ceil((address + bytes[i] + 16) / 16) * 16,
      to: room.to,
    }));
    this.#free = [...this.#free, ...gaps.filter(({ from, to }) => from < to)];
  }

  /** Frees one allocation out of order. It counts as used again after an earlier mark is released. */
  giveBack(address: number, bytes: number): void {
    this.#free = [{ from: address, to: address + bytes }, ...this.#free];
  }

  #grow(end: number, purpose: string): void {
    const missing = Math.ceil(end / pageBytes) - this.memory.buffer.byteLength / pageBytes;
    if (missing <= 0) return;
    try {
      this.memory.grow(missing);
    } catch {
      throw new KernelError(
        'TOO_LARGE',
        `${purpose} needs ${(end / gibibyte).toFixed(1)} GiB of working memory, which this machine does not give.`,
      );
    }
  }

  /** Writes a layout to memory, for kernels to find by its address. */
  place<Name extends LayoutName>(name: Name, fields: LayoutFields<Name>): Address<Name> {
    const address = this.allocate(layoutBytes(name), 'A layout') as Address<Name>;
    this.change(name, address, fields);
    return address;
  }

  /** Overwrites some fields of a layout; not while a kernel reads it. */
  change<Name extends LayoutName>(
    name: Name,
    address: Address<Name>,
    fields: Partial<LayoutFields<Name>>,
  ): void {
    writeLayout(this.memory, name, address, fields);
  }

  mark(): Mark {
    return this.#free;
  }

  release(mark: Mark = [{ from: firstAddress, to: maxBytes }]): void {
    this.#free = mark;
  }

  bytes(address: number, length: number): Uint8Array<SharedArrayBuffer> {
    return new Uint8Array(this.memory.buffer, address, length);
  }

  floats(address: number, length: number): Float32Array<SharedArrayBuffer> {
    return new Float32Array(this.memory.buffer, address, length);
  }

  integers(address: number, length: number): Uint32Array<SharedArrayBuffer> {
    return new Uint32Array(this.memory.buffer, address, length);
  }

  doubles(address: number, length: number): Float64Array<SharedArrayBuffer> {
    return new Float64Array(this.memory.buffer, address, length);
  }
}
