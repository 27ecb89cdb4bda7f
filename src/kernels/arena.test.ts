import { describe, expect, it } from 'vitest';
import { Arena, type KernelPool } from './arena.ts';

const gibibyte = 1024 ** 3;
const pool = { threads: 1 } as KernelPool;

describe('working memory', () => {
  it('is handed out anew above a mark', () => {
    const arena = new Arena(pool);
    arena.allocate(1000, 'A');
    const mark = arena.mark();
    const first = arena.allocate(1000, 'B');
    arena.allocate(1000, 'C');
    arena.release(mark);
    expect(arena.allocate(10, 'D')).toBe(first);
  });

  it('gives what arrays that grew side by side have left over to others, and nothing of what they hold', () => {
    const arena = new Arena(pool);
    const below = arena.allocate(gibibyte, 'Below');
    const arrays = arena.reserve([1, 1, 2]);
    const mark = arena.mark();
    arena.allocate(1000, 'Meanwhile');
    const bytes = [300e6, 300e6, 600e6];
    for (const [i, array] of arrays.entries()) arena.extend(array, bytes[i], 'Growing');
    arena.release(mark);
    arena.settle(arrays, bytes);
    const taken = arrays.map(({ address }, i) => [address, address + bytes[i]]);
    taken.push([below, below + gibibyte]);
    const purpose = 'More';
    const take = (size: number) => {
      const address = arena.allocate(size, purpose);
      for (const [from, to] of taken) expect(address + size <= from || address >= to).toBe(true);
      taken.push([address, address + size]);
    };
    expect(() => {
      for (;;) take(100e6);
    }).toThrow(/More would need 4\.\d GiB of working memory, and 4 GiB is the limit/);
    const free = 4 * gibibyte - taken.reduce((sum, [from, to]) => sum + to - from, 0);
    // Less than one piece is left over in each of the gaps.
    expect(free).toBeLessThan(4 * 100e6 + 1e6);
  });

  it('takes what was given back first, and no more of it than there is', () => {
    const arena = new Arena(pool);
    const first = arena.allocate(1000, 'A');
    const above = arena.allocate(1000, 'B');
    arena.giveBack(first, 1000);
    expect(arena.allocate(2000, 'C')).toBeGreaterThan(above);
    expect(arena.allocate(500, 'D')).toBe(first);
    expect(arena.allocate(500, 'E')).toBeGreaterThan(above);
  });

  it('ends where arrays that grow side by side have no room left', () => {
    const arena = new Arena(pool);
    const [array] = arena.reserve([1, 1, 2]);
    arena.extend(array, 100, 'Growing');
    expect(() => arena.extend(array, 0.6 * gibibyte, 'Growing')).toThrow(/Growing would need 4\.\d GiB/);
  });
});
