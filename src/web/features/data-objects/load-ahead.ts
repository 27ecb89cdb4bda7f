import type { QueryClient } from '@tanstack/react-query';
import { projectDataOptions, resolutionOptions } from './queries.ts';
import { isVolume, previewOptions } from './viewer-sources.ts';

/** Loads the data that the first picture of a project waits for longest, while the page itself still loads. */
export async function loadPictureAhead(queryClient: QueryClient, projectId: string): Promise<void> {
  const { results } = await queryClient.ensureQueryData(projectDataOptions(projectId));
  const [volume, ...others] = results.filter(isVolume);
  // With several volumes, the one shown depends on data that the page reads later.
  if (!volume || others.length > 0) return;
  await Promise.all([
    queryClient.prefetchQuery(resolutionOptions(volume.id)),
    queryClient.prefetchQuery(previewOptions(volume)),
  ]);
}
