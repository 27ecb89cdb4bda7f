/** Script of a process whose operations misbehave as their parameter `do` says. */
import { setTimeout as delay } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { eq } from 'drizzle-orm';
import { operations } from '#storage/db/schema-work.ts';
import { serveWork } from '../work/serve-work.ts';
import { NeedsPlace, type OperationWork, type Outcome } from '../work/work.ts';

const megabyte = 1024 ** 2;
const spin = () => {
  for (;;) Math.sqrt(Date.now());
};
const recurse = (depth: number): number => recurse(depth + 1) + 1;

interface Platform {
  Memory: new (options: {
    initial: number;
    maximum: number;
    shared: boolean;
  }) => {
    grow(pages: number): number;
    buffer: ArrayBuffer;
  };
}
const { Memory } = (globalThis as unknown as { WebAssembly: Platform }).WebAssembly;

const behaviours: Record<string, (work: OperationWork) => unknown> = {
  nothing: () => undefined,
  spin,
  'spin on a thread': () => new Promise(() => new Worker('for(;;);', { eval: true })),
  'wait for ever': () => new Promise(() => undefined),
  'wait at another place': ({ place }) => {
    if (place === 'import') throw new NeedsPlace('judge');
    return new Promise(() => undefined);
  },
  'go on for ever': async ({ run }) => {
    for (let fraction = 0; ; fraction += 1e-6) {
      run.report(fraction);
      await delay(20);
    }
  },
  'fill the heap': () => {
    const kept: object[] = [];
    for (;;) kept.push({ kept: kept.length });
  },
  'fill buffers': () => {
    const kept: Uint8Array[] = [];
    for (;;) kept.push(new Uint8Array(8 * megabyte).fill(1));
  },
  'fill WebAssembly memory': () => {
    const memory = new Memory({ initial: 1, maximum: 65_536, shared: true });
    for (let at = 65_536; ; at += 65_536) {
      memory.grow(1);
      new Uint8Array(memory.buffer, at).fill(1);
    }
  },
  'fill a thread': () =>
    new Promise(
      () => new Worker('const kept=[];for(;;)kept.push(new Uint8Array(8<<20).fill(1))', { eval: true }),
    ),
  recurse: () => recurse(0),
  exit: () => process.exit(7),
  abort: () => process.abort(),
  'fail beside': async () => {
    void Promise.reject(new Error('nobody waits for this'));
    await delay(1000);
  },
  'write half a file': async ({ blobs, row }) => {
    await blobs.put('files', Buffer.from('half'), 'text/plain');
    await blobs.newVolumeKey();
    behaviours[String(row.parameters['next'])](undefined as never);
  },
};

async function misbehave(work: OperationWork): Promise<Outcome> {
  const { row, context } = work;
  await behaviours[String(row.parameters['do'])](work);
  const afterwards = async () => {
    await delay(Number(row.parameters['thenForMs'] ?? 0));
    const stage = 'what follows is done';
    await context.db.update(operations).set({ stage }).where(eq(operations.id, row.id));
  };
  const isFollowed = row.parameters['thenForMs'] !== undefined;
  return { values: { provenance: { pid: process.pid } }, ...(isFollowed && { afterwards }) };
}

const unknown = () => Promise.reject(new Error('only operations misbehave'));
serveWork({
  operation: misbehave,
  export: unknown,
  view: unknown,
  render: unknown,
  invocation: unknown,
  bulk: unknown,
});
