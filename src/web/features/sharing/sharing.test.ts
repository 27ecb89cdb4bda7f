import { expect, it } from 'vitest';
import { applyMessage, chooseColour, dropSilent, noSession, silenceMs } from './sharing.ts';

const place = { camera: null, cursorMm: [1, 2, 3] as [number, number, number], planes: null };
const user = (id: string) => ({ id, email: `${id}@example.com`, name: id });
const makeMessage = (id: string, more: object = {}) => ({
  presenterId: 'anna',
  user: user(id),
  place: null,
  isLeaving: false,
  ...more,
});

it('keeps the presenter’s place until the presenter moves; nobody else moves it', () => {
  const begun = applyMessage(noSession, 'anna', makeMessage('anna', { place }), 0);
  expect(begun.place).toEqual(place);
  expect(applyMessage(begun, 'anna', makeMessage('anna', { place: { ...place } }), 1).place).toBe(place);
  const elsewhere = { ...place, cursorMm: [4, 5, 6] as [number, number, number] };
  expect(applyMessage(begun, 'anna', makeMessage('anna', { place: elsewhere }), 1).place).toEqual(elsewhere);
  expect(applyMessage(begun, 'anna', makeMessage('ben'), 1).place).toEqual(place);
  expect(applyMessage(begun, 'anna', { ...makeMessage('carl'), presenterId: 'carl' }, 1)).toBe(begun);
});

it('lists a follower once, until they leave or fall silent', () => {
  let session = applyMessage(noSession, 'anna', makeMessage('anna', { place }), 0);
  for (const id of ['ben', 'carl', 'ben']) session = applyMessage(session, 'anna', makeMessage(id), 0);
  expect(session.followers.map(({ name }) => name)).toEqual(['ben', 'carl']);
  session = applyMessage(session, 'anna', makeMessage('ben', { isLeaving: true }), 1);
  expect(session.followers.map(({ name }) => name)).toEqual(['carl']);
  session = applyMessage(session, 'anna', makeMessage('anna', { place }), silenceMs);
  expect(dropSilent(session, silenceMs).followers).toEqual([]);
  expect(dropSilent(session, silenceMs).hasEnded).toBe(false);
});

it('ignores the presenter following on a second screen: it moves and ends nothing', () => {
  const begun = applyMessage(noSession, 'anna', makeMessage('anna', { place }), 0);
  const seen = applyMessage(begun, 'anna', makeMessage('anna'), silenceMs);
  expect(seen.place).toEqual(place);
  expect(seen.followers.map(({ name }) => name)).toEqual(['anna']);
  expect(dropSilent(seen, silenceMs).hasEnded).toBe(true);
});

it('ends a session when its presenter leaves or falls silent', () => {
  const begun = applyMessage(noSession, 'anna', makeMessage('anna', { place }), 0);
  expect(applyMessage(begun, 'anna', makeMessage('anna', { isLeaving: true }), 1).hasEnded).toBe(true);
  expect(dropSilent(begun, silenceMs - 1)).toBe(begun);
  expect(dropSilent(begun, silenceMs).hasEnded).toBe(true);
});

it('gives a person the same colour for everybody', () => {
  expect(chooseColour('anna')).toBe(chooseColour('anna'));
  expect(chooseColour('anna')).not.toBe(chooseColour('ben'));
});
