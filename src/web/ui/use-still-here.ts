import { useMatch, useRouter } from '@tanstack/react-router';
import { useCallback } from 'react';

const withoutSlash = (pathname: string) => pathname.replace(/(.)\/$/, '$1');

/**
 * Returns a function that tells whether the calling page is still the one navigated to last. A page being left, which
 * receives a late response, must not change the address.
 */
export function useStillHere(): () => boolean {
  const router = useRouter();
  const pathname = useMatch({ strict: false, select: (match) => match.pathname });
  return useCallback(
    () => withoutSlash(router.latestLocation.pathname) === withoutSlash(pathname),
    [router, pathname],
  );
}
