import type { QueryClient } from '@tanstack/react-query';
import { projectDataOptions, resolutionOptions } from './queries.ts';
import { isVolume, previewOptions } from './viewer-sources.ts';

/** Brings what the first picture of a project takes longest to wait for while its page is still put together. */
export async function loadPictureAhead(queryClient: QueryClient, projectId: string): Promise<void> {
  const { results } = await queryClient.ensureQueryData(projectDataOptions(projectId));
  const [volume, ...others] = results.filter(isVolume);
  // Which of several is shown depends on what the page reads later.
  if (!volume || others.length > 0) return;
  await Promise.all([
    queryClient.prefetchQuery(resolutionOptions(volume.id)),
    queryClient.prefetchQuery(previewOptions(volume)),
  ]);
}
