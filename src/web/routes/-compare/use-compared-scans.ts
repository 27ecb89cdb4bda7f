import { type QueryClient, useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo, useRef } from 'react';
import { chooseCompared } from '#contract/analyses/choose-pictures.ts';
import { explain } from '#web/api/errors.ts';
import type { DataObject, Project, VolumeDataObject } from '#web/api/generated/types.gen.ts';
import { makingOptions, projectDataOptions, resolutionOptions } from '#web/features/data-objects/queries.ts';
import { loadPreview, openSurface, volumeDescription } from '#web/features/data-objects/viewer-sources.ts';
import { projectOptions } from '#web/features/projects/queries.ts';
import { toSentence } from '#web/ui/quantity.ts';
import type { ComparedScan } from '#web/viewer/compare/compared-scan.ts';
import { type Compared, formatCompared, isReadable, parseCompared } from './compare-search.ts';

export interface ScanOfProject {
  compared: Compared;
  project: Project;
  volumes: readonly VolumeDataObject[];
  volume: VolumeDataObject;
  scan: Omit<ComparedScan, 'aside'>;
}

/** Loads a scan: its project and the newest volume, surface and alignment that belong together. */
async function readScan(queryClient: QueryClient, { projectId, volumeId }: Compared): Promise<ScanOfProject> {
  const [{ project }, data] = await Promise.all([
    queryClient.ensureQueryData(projectOptions(projectId)),
    queryClient.ensureQueryData(projectDataOptions(projectId)),
  ]);
  const chosen = await chooseCompared(project.name, data.results, volumeId ?? null, async (operationId) => {
    const making = { ...makingOptions(operationId), staleTime: Number.POSITIVE_INFINITY };
    return (await queryClient.ensureQueryData(making)).inputDataObjectIds;
  });
  if (!chosen || !isVolume(chosen.volume))
    throw new Error(
      volumeId === undefined
        ? `“${project.name}” has no volume yet.`
        : `“${project.name}” no longer has this volume.`,
    );
  const { volumes, volume, surface, surfaceBounds, pose, title } = chosen;
  const resolution = await queryClient.ensureQueryData(resolutionOptions(volume.id));
  const description = volumeDescription(volume, resolution);
  return {
    compared: { projectId, volumeId },
    ...{ project, volume },
    volumes: volumes.filter(isVolume),
    scan: {
      ...{ title, pose, surfaceBounds },
      id: formatCompared({ projectId, volumeId: volume.id }),
      volume: description,
      load: loadPreview(description),
      surface: surface && openSurface(surface),
      problem: null,
    },
  };
}

const isVolume = (each: DataObject): each is VolumeDataObject => each.kind === 'volume';

/** The scans named in the address, updated as their projects change; one that can't be loaded shows the reason in its pane. */
export function useComparedScans(texts: readonly string[]) {
  const queryClient = useQueryClient();
  const projectIds = [...new Set(texts.filter(isReadable).map((text) => parseCompared(text).projectId))];
  const data = useQueries({ queries: projectIds.map((projectId) => projectDataOptions(projectId)) });
  const updatedAt = new Map(projectIds.map((projectId, index) => [projectId, data[index]?.dataUpdatedAt]));
  const queries = useQueries({
    queries: texts.map((text) => ({
      // A project with new data is read again.
      queryKey: ['comparedScan', text, isReadable(text) && updatedAt.get(parseCompared(text).projectId)],
      queryFn: async () => readScan(queryClient, parseCompared(text)),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    })),
  });
  // Shown until the new data is read, so that no pane falls back to “Loading…”.
  const earlier = useRef(new Map<string, ScanOfProject>());
  const known = texts.map((text, index) => {
    const { data, isPending } = queries[index] ?? {};
    return data ?? (isPending ? (earlier.current.get(text) ?? null) : null);
  });
  earlier.current = new Map();
  for (const [index, text] of texts.entries()) {
    const scan = known[index];
    if (scan) earlier.current.set(text, scan);
  }
  const problems = queries.map(({ error }) => (error === null ? null : toSentence(explain(error).detail)));
  const shape = JSON.stringify([
    known.map((each) => each && [each.scan.id, each.scan.title, each.scan.surface?.id, each.scan.pose]),
    problems,
  ]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scans change with their content and problems
  return useMemo(
    () =>
      texts.map((text, index) => ({
        text,
        known: known[index] ?? null,
        scan: known[index]?.scan ?? {
          id: text,
          // Scans that are still loading need distinct titles, too.
          title: `Scan ${index + 1}`,
          volume: null,
          load: null,
          surface: null,
          surfaceBounds: null,
          pose: null,
          problem: problems[index] ?? null,
        },
      })),
    [texts.join(), shape],
  );
}
