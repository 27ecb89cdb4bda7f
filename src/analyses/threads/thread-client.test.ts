import { afterAll, describe, expect, it } from 'vitest';
import { FormatError } from '#formats/format-error.ts';
import { KernelError } from '#kernels/kernel-error.ts';
import type { Request } from '../testing/answering-thread.ts';
import { ThreadClient } from './thread-client.ts';

const script = new URL('../testing/answering-thread.ts', import.meta.url);
const start = () => new ThreadClient<Request, unknown>(script, { name: 'test' });
const thread = start();
afterAll(() => thread.end());
const longMs = 60_000;

describe('a thread that is called', () => {
  it('gives errors as they were thrown, and goes on', async () => {
    const refused = thread.call({ throw: 'kernel' });
    await expect(refused).rejects.toBeInstanceOf(KernelError);
    await expect(refused).rejects.toMatchObject({ code: 'NO_SURFACE', message: 'Nothing is there.' });
    const incomplete = thread.call({ throw: 'format' });
    await expect(incomplete).rejects.toBeInstanceOf(FormatError);
    await expect(incomplete).rejects.toMatchObject({ code: 'INPUT_INCOMPLETE', missing: ['voxelSizeMm'] });
    await expect(thread.call({ throw: 'file' })).rejects.toMatchObject({ code: 'ENOSPC' });
    await expect(thread.call({ throw: 'text' })).rejects.toBe('a text');
    expect(await thread.call({ spinMs: 0 })).toBe('spun');
  });

  it('reports, and gives back what it was handed', async () => {
    const give = Float32Array.of(1, 2, 3);
    const reports: number[] = [];
    const onReport = (share: number) => reports.push(share);
    const given = await thread.call({ give, after: [0.25, 0.5] }, { buffers: [give.buffer], onReport });
    expect(given).toEqual(Float32Array.of(1, 2, 3));
    expect(give).toHaveLength(0);
    expect(reports).toEqual([0.25, 0.5]);
  });

  it('asks its caller, whose errors are its own', async () => {
    const onQuestion = async (asked: number) => {
      if (asked > 9) throw new KernelError('TOO_LARGE', `${asked} is too much.`);
      return 2 * asked;
    };
    expect(await thread.call({ ask: 4 }, { onQuestion })).toEqual({ answer: 8 });
    const refused = thread.call({ ask: 10 }, { onQuestion });
    await expect(refused).rejects.toBeInstanceOf(KernelError);
    await expect(refused).rejects.toMatchObject({ code: 'TOO_LARGE', message: '10 is too much.' });
  });

  it('says why it ended', async () => {
    const other = start();
    await expect(other.call({ exit: 3 })).rejects.toThrow('the thread “test” ended with code 3');
    await other.ended;
    expect(other.isIdle).toBe(false);
  });

  it.each([undefined, 0])('ends with a call that is stopped, after a grace of %s ms', async (graceMs) => {
    const other = start();
    const controller = new AbortController();
    const stopped = other.call({ spinMs: longMs }, { signal: controller.signal, graceMs });
    controller.abort(new Error('stopped by the user'));
    await expect(stopped).rejects.toBe(controller.signal.reason);
    await other.ended;
  });

  it('may end a call within its grace, and ends after the last one once it is retired', async () => {
    const other = start();
    const controller = new AbortController();
    const call = other.call({ spinMs: 1 }, { signal: controller.signal, graceMs: longMs });
    controller.abort();
    await other.retire();
    expect(await call).toBe('spun');
    await other.ended;
  });
});
