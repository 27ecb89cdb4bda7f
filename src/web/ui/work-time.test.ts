import { describe, expect, it } from 'vitest';
import { elapsedSeconds, restSeconds } from './work-time.ts';

describe('The duration of work', () => {
  it('is counted from its start to its end, or to now', () => {
    const times = { createdAt: '2026-01-01T00:00:00Z', startedAt: '2026-01-01T00:00:10Z', finishedAt: null };
    expect(elapsedSeconds(times, Date.parse('2026-01-01T00:00:25Z'))).toBe(15);
    expect(elapsedSeconds({ ...times, finishedAt: '2026-01-01T00:00:12Z' }, Date.now())).toBe(2);
    expect(elapsedSeconds({ ...times, startedAt: null }, Date.now())).toBeNull();
  });

  it('is never negative when clocks differ', () => {
    const times = { createdAt: '', startedAt: '2026-01-01T00:00:10Z', finishedAt: null };
    expect(elapsedSeconds(times, Date.parse('2026-01-01T00:00:05Z'))).toBe(0);
  });

  it('has an estimate of the rest only after enough progress', () => {
    expect(restSeconds(0.05, 60)).toBeNull();
    expect(restSeconds(0.5, 2)).toBeNull();
    expect(restSeconds(0.25, 10)).toBe(30);
    expect(restSeconds(1, 10)).toBeNull();
  });
});
