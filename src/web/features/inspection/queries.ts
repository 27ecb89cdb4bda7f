import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { z } from 'zod';
import type { DispositionInput } from '#contract/shapes/disposition.ts';
import { listCharacteristicsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { createDisposition } from '#web/api/generated/sdk.gen.ts';

/** The worst first; those that are outdated at the end. */
export const characteristicsOptions = (projectId: string) =>
  listCharacteristicsOptions({ path: { id: projectId }, query: { page_size: 200 } });

export function useDecide(projectId: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: async (body: z.infer<typeof DispositionInput>) =>
      (await createDisposition({ path: { id: projectId }, body, throwOnError: true })).data,
    onSettled: () =>
      Promise.all(
        (['readProject', 'listDispositions', 'listProjects'] as const).map((_id) =>
          queryClient.invalidateQueries({ queryKey: [{ _id }] }),
        ),
      ),
  });
}
