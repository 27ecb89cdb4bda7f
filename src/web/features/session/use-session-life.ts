import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { sessionToken } from '#web/api/session-token.ts';
import { signInAddress } from '../../door-pages.ts';

/**
 * When the token is gone (signed out here or in another tab, or refused by the service), loads the sign-in page with a
 * return address and discards all cached data.
 */
export function useSessionLife(): void {
  const router = useRouter();
  useEffect(
    () =>
      sessionToken.subscribe((session, end) => {
        if (session !== null) return;
        window.location.replace(signInAddress(router.state.location.href, end === 'refused'));
      }),
    [router],
  );
}
