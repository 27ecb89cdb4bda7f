import { Button } from '@mantine/core';
import type { QueryClient } from '@tanstack/react-query';
import { createRouter, type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router';
import { routeTree } from './routeTree.gen.ts';
import { parseSearch, stringifySearch } from './search-params.ts';
import { PageNotFound } from './ui/page-not-found.tsx';
import { PageSkeleton } from './ui/page-skeleton.tsx';
import { ProblemPage } from './ui/problem-alert.tsx';

function RouteFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    router.invalidate();
  };
  return (
    <ProblemPage error={error} onRetry={retry} wayOut={<WayToList path={router.state.location.pathname} />} />
  );
}

/** The list that contains the object named in an address. */
const lists = [
  { within: '/recipes/runs/', to: '/runs', words: 'Go to runs' },
  { within: '/recipes/', to: '/recipes', words: 'Go to recipes' },
  { within: '/bulk/', to: '/bulk', words: 'Go to bulk requests' },
  { within: '/', to: '/projects', words: 'Go to projects' },
] as const;

function WayToList({ path }: { path: string }) {
  const { to, words } = lists.find(({ within }) => path.startsWith(within)) ?? lists[3];
  return (
    <Button variant="default" w="fit-content" renderRoot={(props) => <Link {...props} to={to} />}>
      {words}
    </Button>
  );
}

export const createAppRouter = (queryClient: QueryClient) =>
  createRouter({
    routeTree,
    context: { queryClient },
    parseSearch,
    stringifySearch,
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 200,
    defaultErrorComponent: RouteFailed,
    defaultNotFoundComponent: () => <PageNotFound />,
    defaultPendingComponent: () => <PageSkeleton />,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createAppRouter>;
  }
}
