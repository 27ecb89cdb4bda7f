/**
 * Pages for users who are not signed in. They load without the rest of the dashboard; leaving them loads a new page.
 */
export const doorPages = ['/sign-in', '/invitation', '/reset-password'] as const;
export type DoorPage = (typeof doorPages)[number];

export const isDoorPage = (path: string): path is DoorPage => (doorPages as readonly string[]).includes(path);

/**
 * Address of the sign-in page.
 *
 * @param to the page that was requested
 * @param hasEnded whether the session expired
 */
export function signInAddress(to: string, hasEnded: boolean): string {
  const search = new URLSearchParams({ to });
  if (hasEnded) search.set('ended', 'true');
  return `/sign-in?${search}`;
}

/** Parses the address of the sign-in page; `to` only if it is on this site. */
export function readSignInAddress(search: string): { to: string; hasEnded: boolean } {
  const names = new URLSearchParams(search);
  const to = names.get('to') ?? '';
  return { to: /^\/(?![/\\])/.test(to) ? to : '/projects', hasEnded: names.get('ended') === 'true' };
}
