/** Pages for whoever is not signed in yet: they come without the rest of the dashboard, and lead to it by loading it. */
export const doorPages = ['/sign-in', '/invitation', '/reset-password'] as const;
export type DoorPage = (typeof doorPages)[number];

export const isDoorPage = (path: string): path is DoorPage => (doorPages as readonly string[]).includes(path);

/**
 * Address of the sign-in page.
 *
 * @param to the page that was wanted
 * @param hasEnded the session ended by itself
 */
export function signInAddress(to: string, hasEnded: boolean): string {
  const search = new URLSearchParams({ to });
  if (hasEnded) search.set('ended', 'true');
  return `/sign-in?${search}`;
}

/** What the address of the sign-in page says; `to` only within this site. */
export function readSignInAddress(search: string): { to: string; hasEnded: boolean } {
  const names = new URLSearchParams(search);
  const to = names.get('to') ?? '';
  return { to: /^\/(?![/\\])/.test(to) ? to : '/projects', hasEnded: names.get('ended') === 'true' };
}
