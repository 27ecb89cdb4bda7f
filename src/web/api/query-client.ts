import { QueryClient } from '@tanstack/react-query';
import { ServiceError } from './errors.ts';

/** Retries only what a second attempt can fix: no response, or a gateway error; three times at most. */
export const shouldRetry = (failures: number, error: unknown): boolean =>
  failures < 3 &&
  error instanceof ServiceError &&
  (error.status === 0 || [502, 503, 504].includes(error.status));

/** Live updates report changes, so cached data stays fresh for a while. */
export const createQueryClient = (): QueryClient =>
  new QueryClient({
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        gcTime: 10 * 60_000,
        retry: shouldRetry,
        retryDelay: (failures) => Math.min(500 * 2 ** failures, 5_000),
        refetchOnWindowFocus: true,
      },
      mutations: { retry: false },
    },
  });
