import { useQueryClient } from '@tanstack/react-query';
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { startLiveUpdates } from '../../api/live-updates.ts';
import { sessionToken } from '../../api/session-token.ts';

/**
 * While somebody is signed in: live updates run. When the token is gone (signed out here or in another tab, or
 * refused by the service) everything that was read is dropped and the sign-in page opens with the way back.
 */
export function useSessionLife(): void {
  const queryClient = useQueryClient();
  const navigate = useNavigate();
  const router = useRouter();
  useEffect(() => startLiveUpdates(queryClient), [queryClient]);
  useEffect(
    () =>
      sessionToken.subscribe((session, end) => {
        if (session !== null) return;
        const to = router.state.location.href;
        void navigate({ to: '/sign-in', search: { to, ended: end === 'refused' || undefined } }).then(() =>
          queryClient.clear(),
        );
      }),
    [navigate, queryClient, router],
  );
}
