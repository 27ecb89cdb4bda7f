import { useMatch, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

const withoutSlash = (pathname: string) => pathname.replace(/(.)\/$/, '$1');

/**
 * Tells whether the page that uses it is still the one that was asked for last: one on its way out, to which an answer comes
 * late, has no say in the address any more.
 */
export function useStillHere(): () => boolean {
  const router = useRouter();
  const pathname = useMatch({ strict: false, select: (match) => match.pathname });
  return useCallback(
    () => withoutSlash(router.latestLocation.pathname) === withoutSlash(pathname),
    [router, pathname],
  );
}
