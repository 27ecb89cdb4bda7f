import type { z } from 'zod';
import type { DispositionInput } from '#contract/shapes/disposition.ts';
import { listCharacteristicsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { createDisposition } from '#web/api/generated/sdk.gen.ts';
import { useChange } from '#web/api/refresh.ts';

/** Worst first; outdated ones last. */
export const characteristicsOptions = (projectId: string) =>
  listCharacteristicsOptions({ path: { id: projectId }, query: { page_size: 200 } });

export const useCreateDisposition = (projectId: string) =>
  useChange(
    async (body: z.infer<typeof DispositionInput>) =>
      (await createDisposition({ path: { id: projectId }, body })).data,
    'readProject',
    'listDispositions',
    'listProjects',
  );
