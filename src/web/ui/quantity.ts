/** Formats sizes, durations, times and names the same on every page. Pure. */
import { capitalised, withUnit } from '#contract/base/format-number.ts';

const locale = 'en';

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'];

/** Bytes in decimal units with three digits: `1.24 GB`. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < byteUnits.length - 1) {
    value /= 1000;
    unit++;
  }
  const digits = unit === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return withUnit(value.toFixed(digits), byteUnits[unit]);
}

/** Seconds as `0.3 s`, `4 s`, `2 min 5 s`, `1 h 20 min`. */
export function formatDuration(seconds: number): string {
  if (seconds >= 0.05 && seconds < 0.95) return withUnit(seconds.toFixed(1), 's');
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return withUnit(`${whole}`, 's');
  const minutes = Math.floor(whole / 60);
  const [large, small] = minutes < 60 ? ['min', 's'] : ['h', 'min'];
  const count = minutes < 60 ? whole : minutes;
  const rest = count % 60;
  const first = withUnit(`${Math.floor(count / 60)}`, large);
  return rest === 0 ? first : `${first} ${withUnit(`${rest}`, small)}`;
}

/** `43 %` of running work; 100 % only once it is complete. */
export const formatProgress = (share: number): string => withUnit(`${Math.floor(100 * share)}`, '%');

const relative = new Intl.RelativeTimeFormat(locale, { numeric: 'auto', style: 'short' });
/** “in 2 weeks”, because “next week” leaves the day open. */
const counted = new Intl.RelativeTimeFormat(locale, { numeric: 'always', style: 'short' });
const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 31_557_600],
  ['month', 2_629_800],
  ['week', 604_800],
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
];

/** `3 hr ago`, `yesterday`, `just now`; both times in ms since 1970. */
export function formatRelative(time: number, now: number): string {
  const seconds = (time - now) / 1000;
  for (const [unit, size] of steps) {
    // “13 days” is more precise than “1 week”.
    if (Math.abs(seconds) < (unit === 'week' ? 2 * size : size)) continue;
    const words = unit === 'day' ? relative : counted;
    return words.format(Math.trunc(seconds / size), unit).replace('.', '');
  }
  return Math.abs(seconds) < 10
    ? 'just now'
    : relative.format(Math.trunc(seconds), 'second').replace('.', '');
}

const exact = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

/** Date and time to the second with the time zone, in the user's time zone. */
export const formatExact = (time: number): string => exact.format(time);

/** A problem detail of the service as a sentence of its own; a name at its start keeps its case. */
export const toSentence = (text: string): string =>
  `${text.replace(/^[a-z]+(?=[ ,])/, capitalised)}${/[.!?…:]$/.test(text) ? '' : '.'}`;

/** `fatigueForecast` → `Fatigue forecast`: shows an identifier of the API that has no label. */
export const spellOut = (name: string): string =>
  capitalised(
    name
      .replace(/([a-z\d])([A-Z])/g, '$1 $2')
      .replaceAll(/[_-]/g, ' ')
      .toLowerCase(),
  );
