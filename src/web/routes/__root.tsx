import type { QueryClient } from '@tanstack/react-query';
import { createRootRouteWithContext, Outlet } from '@tanstack/react-router';
import { floatingId } from '../theme.ts';

export const Route = createRootRouteWithContext<{ queryClient: QueryClient }>()({ component: RootRoute });

function RootRoute() {
  return (
    <>
      <Outlet />
      <section id={floatingId} aria-label="Menus" />
    </>
  );
}
