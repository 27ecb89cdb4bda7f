/** The state of a shared view, derived from its participants' messages. Pure. */
import type { SharedPlace, SharedView } from '#contract/shapes/shared-view.ts';

/** A participant who sends nothing for this long counts as gone: three missed messages. */
export const silenceMs = 15_000;
/** Interval of each participant's heartbeat. */
export const beatMs = 5_000;
/** Minimum time between two messages of the presenter. */
export const minIntervalMs = 200;

export interface Person {
  id: string;
  name: string;
  lastSeenAt: number;
}

export interface Session {
  /** the presenter's current place; null until the first message with one */
  place: SharedPlace | null;
  presenter: Person | null;
  /** participants who follow, in the order in which they joined */
  followers: readonly Person[];
  hasEnded: boolean;
}

export const noSession: Session = { place: null, presenter: null, followers: [], hasEnded: false };

/**
 * The session after a message. Messages about another presenter change nothing. The presenter's own messages contain a
 * place; those without one come from a second screen that follows.
 */
export function applyMessage(
  session: Session,
  presenterId: string,
  { presenterId: of, user, place, isLeaving }: SharedView,
  now: number,
): Session {
  if (of !== presenterId) return session;
  const person: Person = { id: user.id, name: user.name || user.email, lastSeenAt: now };
  if (user.id === presenterId && (place !== null || isLeaving)) {
    if (isLeaving) return { ...noSession, presenter: person, hasEnded: true };
    // The same object while the presenter rests: followers would redraw their view at every heartbeat.
    const isSame = JSON.stringify(place) === JSON.stringify(session.place);
    return { ...session, presenter: person, place: isSame ? session.place : place, hasEnded: false };
  }
  const others = session.followers.filter(({ id }) => id !== user.id);
  if (isLeaving) return { ...session, followers: others };
  const isKnown = others.length < session.followers.length;
  const followers = isKnown
    ? session.followers.map((each) => (each.id === user.id ? person : each))
    : [...others, person];
  return { ...session, followers };
}

/** Removes participants who have been silent for too long; the session ends with its presenter. */
export function dropSilent(session: Session, now: number): Session {
  const isThere = ({ lastSeenAt }: Person) => now - lastSeenAt < silenceMs;
  const followers = session.followers.filter(isThere);
  const hasEnded = session.hasEnded || (session.presenter !== null && !isThere(session.presenter));
  return followers.length === session.followers.length && hasEnded === session.hasEnded
    ? session
    : { ...session, followers, hasEnded };
}

/** A colour that distinguishes people besides their names; the same for every viewer. */
export function chooseColour(userId: string): string {
  let hash = 0;
  for (const letter of userId) hash = (hash * 31 + letter.charCodeAt(0)) % 360;
  return `hsl(${hash} 65% 45%)`;
}
