import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  can,
  estimateRestSeconds,
  isAwaited,
  isUnderWay,
  measureSpeed,
  newUpload,
  nextToBegin,
  retryDelayMs,
  step,
  type UploadEvent,
  type UploadItem,
} from './upload-state.ts';

const fresh = newUpload('a', 'p', 'part.nrrd', 1000);
const stepped = (events: UploadEvent[], item: UploadItem = fresh): UploadItem => events.reduce(step, item);
const sending = stepped([{ type: 'checked', missing: false }, { type: 'start' }, { type: 'begin' }]);

describe('An upload', () => {
  it('is checked, completed, queued, sent and imported', () => {
    expect(stepped([{ type: 'checked', missing: false }]).phase).toBe('queued');
    expect(sending.phase).toBe('sending');
    const arrived = stepped([{ type: 'arrived', uploadId: 'u' }], sending);
    expect(arrived).toMatchObject({ phase: 'sent', sentBytes: 1000, uploadId: 'u' });
  });

  it('asks for missing information before it can start', () => {
    const asking = stepped([{ type: 'checked', missing: true }]);
    expect(can(asking, 'start')).toBe(false);
    const answered = stepped([{ type: 'answered' }], asking);
    expect(can(answered, 'start')).toBe(false);
    expect(stepped([{ type: 'checked', missing: false }], answered).phase).toBe('queued');
  });

  it('keeps its offset over a pause', () => {
    const paused = stepped([{ type: 'progress', sentBytes: 400, atMs: 10 }, { type: 'pause' }], sending);
    expect(paused).toMatchObject({ phase: 'paused', sentBytes: 400, samples: [] });
    expect(stepped([{ type: 'start' }, { type: 'begin' }], paused)).toMatchObject({
      phase: 'sending',
      sentBytes: 400,
    });
  });

  it('counts attempts while disconnected and resets them when bytes move again', () => {
    const lost = stepped(
      [
        { type: 'connectionLost', reason: 'no answer' },
        { type: 'begin' },
        { type: 'connectionLost', reason: 'no answer' },
      ],
      sending,
    );
    expect(lost).toMatchObject({ phase: 'interrupted', attempt: 2, reason: 'no answer' });
    const back = stepped([{ type: 'begin' }, { type: 'progress', sentBytes: 1, atMs: 0 }], lost);
    expect(back).toMatchObject({ phase: 'sending', attempt: 0, reason: null });
  });

  it('ignores progress that arrives after a pause', () => {
    const paused = stepped([{ type: 'pause' }], sending);
    expect(step(paused, { type: 'progress', sentBytes: 900, atMs: 5 })).toBe(paused);
  });

  it('never leaves “sent” or “refused”, whatever happens', () => {
    const events = fc.constantFrom<UploadEvent>(
      { type: 'checked', missing: true },
      { type: 'answered' },
      { type: 'start' },
      { type: 'begin' },
      { type: 'progress', sentBytes: 3, atMs: 1 },
      { type: 'connectionLost', reason: 'x' },
      { type: 'pause' },
      { type: 'fail', reason: 'x' },
    );
    const ends = [
      stepped([{ type: 'arrived', uploadId: 'u' }], sending),
      stepped([{ type: 'refused', reason: 'not a scan' }]),
    ];
    fc.assert(
      fc.property(fc.constantFrom(...ends), fc.array(events), (end, sequence) => {
        expect(stepped(sequence, end)).toBe(end);
      }),
    );
  });
});

describe('Speed and remaining time', () => {
  const moving = (samples: [number, number][]) =>
    stepped(
      samples.map(([atMs, sentBytes]) => ({ type: 'progress', atMs, sentBytes })),
      sending,
    );

  it('are unknown before two samples and before two seconds, respectively', () => {
    expect(measureSpeed(moving([[0, 10]]))).toBeNull();
    const early = moving([
      [0, 0],
      [1000, 100],
    ]);
    expect(measureSpeed(early)).toBe(100);
    expect(estimateRestSeconds(early)).toBeNull();
    expect(
      estimateRestSeconds(
        moving([
          [0, 0],
          [1000, 100],
          [4000, 400],
        ]),
      ),
    ).toBe(6);
  });

  it('use only the last seconds', () => {
    const slowed = moving([
      [0, 0],
      [1000, 800],
      [9500, 800],
      [10_500, 810],
    ]);
    expect(measureSpeed(slowed)).toBeCloseTo(10, 6);
  });
});

describe('The queue', () => {
  it('starts as many uploads as allowed, in order', () => {
    const queued = ['a', 'b', 'c'].map((id) =>
      stepped([{ type: 'checked', missing: false }, { type: 'start' }], newUpload(id, 'p', id, 1)),
    );
    expect(nextToBegin([sending, ...queued], 2).map(({ id }) => id)).toEqual(['a']);
    expect(nextToBegin(queued, 2).map(({ id }) => id)).toEqual(['a', 'b']);
    expect(queued.every(isUnderWay)).toBe(true);
    expect(isUnderWay(fresh)).toBe(false);
  });

  it('waits for those checked, sent or imported, of one project only', () => {
    const arrived = step(sending, { type: 'arrived', uploadId: 'u' });
    for (const item of [fresh, sending, arrived]) {
      expect(isAwaited([{ item }], item.projectId)).toBe(true);
      expect(isAwaited([{ item }], 'another')).toBe(false);
    }
    const ends: UploadEvent[] = [{ type: 'read' }, { type: 'fail', reason: 'Full.' }];
    for (const [i, from] of [arrived, sending].entries()) {
      const end = ends[i];
      if (end) expect(isAwaited([{ item: step(from, end) }], from.projectId)).toBe(false);
    }
  });

  it('waits longer before each attempt, half a minute at most', () => {
    expect([1, 2, 3, 6, 20].map(retryDelayMs)).toEqual([1000, 2000, 4000, 30_000, 30_000]);
  });
});
