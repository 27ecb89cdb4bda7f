import { ThreadClient } from '#analyses/threads/thread-client.ts';
import { bytesPerVoxel, type DataType, type Vector3, type VoxelArray } from '#kernels/grid/volume.ts';
import type { DigestCall } from './digest-thread.ts';
import { type Digest, PlaneDigest } from './plane-digest.ts';

/** Volumes of this size and larger are digested on a thread. */
const threadBytes = 32e6;
/** Number of planes queued for the thread besides those it is processing. */
const waiting = 1;

/** Digests the planes of a volume; their memory may be reused after `add` resolves. */
export interface DigestingPlanes {
  add(planes: VoxelArray): Promise<void>;
  take(): Promise<Digest>;
  /** Ends the work when nobody needs its result. */
  close(): void;
}

/**
 * Digests the planes of a volume, on a thread for large volumes, while they are stored. Memory of the thread: two
 * copies of the planes added at once.
 */
export function digestPlanes(dimensions: Vector3, dataType: DataType, signal?: AbortSignal): DigestingPlanes {
  const bytes = dimensions.reduce((product, n) => product * n, bytesPerVoxel[dataType]);
  if (bytes >= threadBytes) return new ThreadedDigest(dimensions, signal);
  const digest = new PlaneDigest(dimensions);
  return {
    add: async (planes) => digest.add(planes),
    take: async () => digest.take(),
    close: () => undefined,
  };
}

type Thread = ThreadClient<DigestCall, Digest | undefined>;

const startThread = (): Thread =>
  new ThreadClient(new URL('./digest-thread.ts', import.meta.url), { name: 'digest' });

/** An idle thread for the next volume: starting one takes a tenth of a second. */
let idle: Thread | undefined;

/** Starts the thread ahead of the first volume. */
export function startDigestThread(): void {
  idle ??= startThread();
}

class ThreadedDigest implements DigestingPlanes {
  readonly #thread: Thread;
  readonly #signal: AbortSignal | undefined;
  readonly #free: SharedArrayBuffer[] = [];
  /** pending calls, oldest first */
  readonly #underWay: Promise<void>[] = [];
  #last: Promise<unknown>;

  constructor(dimensions: Vector3, signal: AbortSignal | undefined) {
    this.#thread = idle?.isIdle ? idle : startThread();
    idle = undefined;
    this.#signal = signal;
    this.#last = this.#call({ begin: dimensions });
  }

  async add(planes: VoxelArray): Promise<void> {
    while (this.#underWay.length > waiting) await this.#underWay.shift();
    const kept = this.#free.pop();
    const buffer =
      kept && kept.byteLength >= planes.byteLength ? kept : new SharedArrayBuffer(planes.byteLength);
    const shared = new (planes.constructor as Uint8ArrayConstructor)(buffer, 0, planes.length);
    shared.set(planes);
    const done = this.#after({ planes: shared }).then(() => {
      this.#free.push(buffer);
    });
    done.catch(() => undefined);
    this.#underWay.push(done);
  }

  async take(): Promise<Digest> {
    const digest = await this.#after({ take: true });
    if (!digest) throw new Error('the thread knows no volume');
    if (this.#thread.isIdle && !idle) idle = this.#thread;
    else this.close();
    return digest;
  }

  close(): void {
    void this.#thread.end();
  }

  #after(call: DigestCall) {
    const answer = this.#last.then(() => this.#call(call));
    this.#last = answer;
    return answer;
  }

  #call(call: DigestCall) {
    const answer = this.#thread.call(call, { signal: this.#signal });
    // The failure is reported to those who await later results.
    answer.catch(() => undefined);
    return answer;
  }
}
