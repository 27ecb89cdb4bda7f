/** What a shared view is at a moment, from the messages of those who take part. Pure. */
import type { SharedPlace, SharedView } from '#contract/shapes/shared-view.ts';

/** How long somebody may be silent before he counts as gone: three messages of his missed. */
export const silenceMs = 15_000;
/** How often each says that he is still there. */
export const beatMs = 5_000;
/** The presenter's messages come no closer than this. */
export const leastMs = 200;

export interface Person {
  id: string;
  name: string;
  heardAt: number;
}

export interface Session {
  /** where the presenter looks; null until he has said it */
  place: SharedPlace | null;
  presenter: Person | null;
  /** those who look on, in the order in which they came */
  followers: readonly Person[];
  hasEnded: boolean;
}

export const noSession: Session = { place: null, presenter: null, followers: [], hasEnded: false };

/**
 * The session after a message. Another presenter's messages change nothing; the presenter names a place in each of his own, and looks
 * on from another screen where he names none.
 */
export function hearMessage(
  session: Session,
  presenterId: string,
  { presenterId: of, user, place, isLeaving }: SharedView,
  now: number,
): Session {
  if (of !== presenterId) return session;
  const person: Person = { id: user.id, name: user.name || user.email, heardAt: now };
  if (user.id === presenterId && (place !== null || isLeaving))
    return isLeaving
      ? { ...noSession, presenter: person, hasEnded: true }
      : { ...session, presenter: person, place, hasEnded: false };
  const others = session.followers.filter(({ id }) => id !== user.id);
  if (isLeaving) return { ...session, followers: others };
  const isKnown = others.length < session.followers.length;
  const followers = isKnown
    ? session.followers.map((each) => (each.id === user.id ? person : each))
    : [...others, person];
  return { ...session, followers };
}

/** The session without those who have been silent for too long; it ends with its presenter. */
export function dropSilent(session: Session, now: number): Session {
  const isThere = ({ heardAt }: Person) => now - heardAt < silenceMs;
  const followers = session.followers.filter(isThere);
  const hasEnded = session.hasEnded || (session.presenter !== null && !isThere(session.presenter));
  return followers.length === session.followers.length && hasEnded === session.hasEnded
    ? session
    : { ...session, followers, hasEnded };
}

/** Tells people apart beside their names; the same for everybody who looks. */
export function chooseColour(userId: string): string {
  let hash = 0;
  for (const letter of userId) hash = (hash * 31 + letter.charCodeAt(0)) % 360;
  return `hsl(${hash} 65% 45%)`;
}
