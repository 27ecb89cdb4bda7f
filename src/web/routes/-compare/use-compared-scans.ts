import { type QueryClient, useQueries, useQueryClient } from '@tanstack/react-query';
import { useMemo } from 'react';
import { findSurface, readPose } from '#contract/analyses/data-kinds.ts';
import { explain } from '../../api/errors.ts';
import type { DataObject, Project, VolumeDataObject } from '../../api/generated/types.gen.ts';
import { makingOptions, projectDataOptions, resolutionOptions } from '../../features/data-objects/queries.ts';
import { loadPreview, openSurface, volumeDescription } from '../../features/data-objects/viewer-sources.ts';
import { projectOptions } from '../../features/projects/queries.ts';
import type { ComparedScan } from '../../viewer/compare/compared-scan.ts';
import { type Compared, formatCompared, parseCompared } from './compare-search.ts';

/** How far a result is followed back to its scan. */
const mostSteps = 6;

/** Whether a data object was made from the volume, by whatever analyses lie between. */
async function comesFrom(
  queryClient: QueryClient,
  byId: ReadonlyMap<string, DataObject>,
  { createdByOperation }: DataObject,
  volumeId: string,
  steps = mostSteps,
): Promise<boolean> {
  if (createdByOperation === null || steps === 0) return false;
  const { inputDataObjectIds } = await queryClient.ensureQueryData({
    ...makingOptions(createdByOperation),
    staleTime: Number.POSITIVE_INFINITY,
  });
  // The first is what was worked on; an alignment's or comparison's second is what it was held against.
  const [first] = inputDataObjectIds;
  if (first === undefined) return false;
  if (first === volumeId) return true;
  const source = byId.get(first);
  return source !== undefined && comesFrom(queryClient, byId, source, volumeId, steps - 1);
}

const isVolume = (each: DataObject): each is VolumeDataObject => each.kind === 'volume';

export interface ScanOfProject {
  compared: Compared;
  project: Project;
  volumes: readonly VolumeDataObject[];
  volume: VolumeDataObject;
  scan: Omit<ComparedScan, 'aside'>;
}

/** A scan with what the service knows of it; the newest volume, surface and alignment that belong together. */
async function readScan(queryClient: QueryClient, { projectId, volumeId }: Compared): Promise<ScanOfProject> {
  const [{ project }, data] = await Promise.all([
    queryClient.ensureQueryData(projectOptions(projectId)),
    queryClient.ensureQueryData(projectDataOptions(projectId)),
  ]);
  const ready = data.results.filter(({ status }) => status === 'completed');
  const volumes = ready.filter(isVolume);
  const volume = volumeId === undefined ? volumes[0] : volumes.find(({ id }) => id === volumeId);
  if (!volume)
    throw new Error(
      volumeId === undefined
        ? `“${project.name}” has no volume yet.`
        : `“${project.name}” no longer has this volume.`,
    );
  const byId = new Map(ready.map((each) => [each.id, each]));
  const findFirst = async (candidates: DataObject[]) => {
    for (const each of candidates) if (await comesFrom(queryClient, byId, each, volume.id)) return each;
    return null;
  };
  const [resolution, surface, alignment] = await Promise.all([
    queryClient.ensureQueryData(resolutionOptions(volume.id)),
    findFirst(ready.filter(({ kind }) => kind === 'mesh' && findSurface(kind) === 'part')),
    findFirst(ready.filter((each) => readPose(each) !== undefined)),
  ]);
  const description = volumeDescription(volume, resolution);
  return {
    compared: { projectId, volumeId },
    project,
    volumes,
    volume,
    scan: {
      id: formatCompared({ projectId, volumeId: volume.id }),
      title: volumes.length > 1 ? `${project.name}, ${volume.name}` : project.name,
      volume: description,
      load: loadPreview(description),
      surface: surface && openSurface(surface),
      pose: (alignment && readPose(alignment)) ?? null,
      problem: null,
    },
  };
}

/** The scans that the address names; what can't be read says why in its pane. */
export function useComparedScans(texts: readonly string[]) {
  const queryClient = useQueryClient();
  const queries = useQueries({
    queries: texts.map((text) => ({
      queryKey: ['comparedScan', text],
      queryFn: () => readScan(queryClient, parseCompared(text)),
      staleTime: Number.POSITIVE_INFINITY,
      retry: false,
    })),
  });
  const known = queries.map(({ data }) => data ?? null);
  const problems = queries.map(({ error }) => (error === null ? null : explain(error).detail));
  const shape = JSON.stringify([known.map((each) => each?.scan.id), problems]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the scans are others where their ids or problems are
  return useMemo(
    () =>
      texts.map((text, index) => ({
        text,
        known: known[index] ?? null,
        scan: known[index]?.scan ?? {
          id: text,
          // Two that are not known yet have to be told apart as well.
          title: `Scan ${index + 1}`,
          volume: null,
          load: null,
          surface: null,
          pose: null,
          problem: problems[index] ?? null,
        },
      })),
    [texts.join(), shape],
  );
}
