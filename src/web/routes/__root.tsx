import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { PageNotFound } from '#web/ui/page-not-found.tsx';
import { floatingId } from '../theme.ts';

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({
  component: RootRoute,
  notFoundComponent: () => (
    <main>
      <PageNotFound />
    </main>
  ),
});

function RootRoute() {
  return (
    <>
      <Outlet />
      <section id={floatingId} aria-label="Menus" />
    </>
  );
}
