import { describe, expect, test } from 'vitest';
import { formatBytes, formatDuration, formatRelative, spellOut, toSentence } from './quantity.ts';

const thin = '\u202f';

describe('Quantities in words', () => {
  test('format bytes with three digits, and never four before the unit', () => {
    expect(formatBytes(0)).toBe(`0${thin}B`);
    expect(formatBytes(999)).toBe(`999${thin}B`);
    expect(formatBytes(999_600)).toBe(`1.00${thin}MB`);
    expect(formatBytes(1_240_000_000)).toBe(`1.24${thin}GB`);
    expect(formatBytes(99_960_000)).toBe(`100${thin}MB`);
  });

  test('format seconds with two units at most', () => {
    expect(formatDuration(0.31)).toBe(`0.3${thin}s`);
    expect(formatDuration(0)).toBe(`0${thin}s`);
    expect(formatDuration(4.4)).toBe(`4${thin}s`);
    expect(formatDuration(125)).toBe(`2${thin}min 5${thin}s`);
    expect(formatDuration(4800)).toBe(`1${thin}h 20${thin}min`);
    expect(formatDuration(3600)).toBe(`1${thin}h`);
  });

  test('format times relative to now', () => {
    const now = Date.parse('2026-03-10T12:00:00Z');
    expect(formatRelative(now - 3_000, now)).toBe('just now');
    expect(formatRelative(now - 15 * 60_000, now)).toBe('15 min ago');
    expect(formatRelative(now - 26 * 3_600_000, now)).toBe('yesterday');
    expect(formatRelative(now + 3 * 86_400_000, now)).toBe('in 3 days');
    expect(formatRelative(now + 13 * 86_400_000, now)).toBe('in 13 days');
    expect(formatRelative(now - 8 * 86_400_000, now)).toBe('8 days ago');
    expect(formatRelative(now - 21 * 86_400_000, now)).toBe('3 wk ago');
  });
});

describe('An identifier of the API', () => {
  test('is spelled out if there is no label for it', () => {
    expect(spellOut('runSomethingNew')).toBe('Run something new');
    expect(spellOut('half_done')).toBe('Half done');
  });
});

test('a problem detail becomes a sentence, and a name at its start keeps its case', () => {
  expect(toSentence('project not found, or you have no access to it')).toBe(
    'Project not found, or you have no access to it.',
  );
  expect(toSentence('The database does not answer.')).toBe('The database does not answer.');
  expect(toSentence('tube.nrrd ends too early')).toBe('tube.nrrd ends too early.');
  expect(toSentence('minThicknessMm is below 0')).toBe('minThicknessMm is below 0.');
});
