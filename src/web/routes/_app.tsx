import { useMantineColorScheme } from '@mantine/core';
import { useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute, Outlet, redirect, retainSearchParams } from '@tanstack/react-router';
import { z } from 'zod';
import { hasCode } from '#web/api/errors.ts';
import { readMeOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { startLiveUpdates } from '#web/api/live-updates.ts';
import { sessionToken } from '#web/api/session-token.ts';
import { NotificationsButton } from '#web/features/notifications/notifications-button.tsx';
import { RunningWork } from '#web/features/running-work/running-work.tsx';
import { GlobalSearch } from '#web/features/search/global-search.tsx';
import { AccountMenu, useSignOut } from '#web/features/session/account-menu.tsx';
import { NoOrganization } from '#web/features/session/no-organization.tsx';
import { OrganizationSwitch } from '#web/features/session/organization-switch.tsx';
import { openOrganization } from '#web/features/session/organizations.ts';
import { useSessionLife } from '#web/features/session/use-session-life.ts';
import { useKeyHelp } from '#web/ui/commands.ts';
import { AppFrame } from '#web/ui/frame/app-frame.tsx';
import { Breadcrumb, CrumbProvider } from '#web/ui/frame/breadcrumb.tsx';
import { HelpButton, MainPlaces } from '#web/ui/frame/places.tsx';
import { signInAddress } from '../door-pages.ts';

/** The open organization; without it the one opened last, or the user's first. */
const AppSearch = z.object({ organization: z.guid().optional().catch(undefined) });

/** Never reset: signing in loads a new page. */
let isListening = false;

export const Route = createFileRoute('/_app')({
  validateSearch: AppSearch,
  search: { middlewares: [retainSearchParams(['organization'])] },
  // Runs before the child loaders, so that a page whose token is refused does not show its own error.
  beforeLoad: async ({ context: { queryClient }, location }) => {
    const toSignIn = (hasEnded: boolean) =>
      redirect({ href: signInAddress(location.href, hasEnded), reloadDocument: true });
    if (!sessionToken.isPresent()) throw toSignIn(false);
    // Before anything is read: data read before the event stream is open has to be refetched.
    if (!isListening) startLiveUpdates(queryClient);
    isListening = true;
    try {
      await queryClient.ensureQueryData(readMeOptions());
    } catch (error) {
      if (hasCode(error, 'NOT_AUTHENTICATED')) throw toSignIn(true);
      throw error;
    }
  },
  component: AppRoute,
});

function AppRoute() {
  useSessionLife();
  const { signOut } = useSignOut();
  const { toggleColorScheme } = useMantineColorScheme();
  const showKeys = useKeyHelp();
  const { organization: id } = Route.useSearch();
  const { data: me } = useSuspenseQuery(readMeOptions());
  const organization = openOrganization(me, id);
  if (organization === null) return <NoOrganization email={me.user.email} />;
  return (
    <CrumbProvider>
      {(crumb) => (
        <AppFrame
          switcher={(collapsed) => (
            <OrganizationSwitch organizations={me.organizations} shown={organization} collapsed={collapsed} />
          )}
          rail={<MainPlaces />}
          railEnd={
            <>
              <NotificationsButton />
              <HelpButton />
              <AccountMenu user={me.user} />
            </>
          }
          breadcrumb={<Breadcrumb last={crumb} />}
          tools={
            <>
              <GlobalSearch
                organizationId={organization.id}
                onSignOut={signOut}
                onToggleTheme={toggleColorScheme}
                onShowKeys={showKeys}
              />
              <RunningWork />
            </>
          }
        >
          <Outlet />
        </AppFrame>
      )}
    </CrumbProvider>
  );
}
