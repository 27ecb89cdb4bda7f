import { useQueries } from '@tanstack/react-query';
import { readOperationOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import type { DataObject, Measurement } from '#web/api/generated/types.gen.ts';

type Candidate = Pick<DataObject, 'id' | 'kind' | 'name' | 'status' | 'createdByOperation'>;
type Measured = Pick<Measurement, 'surfaceId'>;

/** Surfaces that may have replaced the measured one, and itself, newest first; empty if it was uploaded or deleted. */
function listCandidates<T extends Candidate>({ surfaceId }: Measured, dataObjects: readonly T[]): T[] {
  const former = dataObjects.find(({ id }) => id === surfaceId);
  if (!former?.createdByOperation) return [];
  // The surfaces of materials that one analysis makes differ in name.
  return dataObjects.filter(
    ({ kind, name, status, createdByOperation }) =>
      kind === former.kind && name === former.name && status === 'completed' && createdByOperation !== null,
  );
}

/**
 * The surface that replaced the one a measurement lies on: the newest that the same analysis made of the same scan; null
 * when there is none.
 *
 * @param dataObjects newest first
 * @param sources id of the scan by the operation that was run on it
 */
export function findNewerSurface<T extends Candidate>(
  measurement: Measured,
  dataObjects: readonly T[],
  sources: ReadonlyMap<string | null, string>,
): T | null {
  const candidates = listCandidates(measurement, dataObjects);
  const readSource = (each: T | undefined) => sources.get(each?.createdByOperation ?? null);
  const source = readSource(candidates.find(({ id }) => id === measurement.surfaceId));
  const newest = source === undefined ? undefined : candidates.find((each) => readSource(each) === source);
  return newest && newest.id !== measurement.surfaceId ? newest : null;
}

/** The scans that the measured surfaces, and their possible successors, were made of, by operation. */
export function useSources(
  measurements: readonly Measured[],
  dataObjects: readonly Candidate[],
): ReadonlyMap<string | null, string> {
  const ids = new Set(
    measurements.flatMap((each) =>
      listCandidates(each, dataObjects).flatMap(({ createdByOperation }) => createdByOperation ?? []),
    ),
  );
  return useQueries({
    queries: [...ids].map((id) => ({
      ...readOperationOptions({ path: { id } }),
      staleTime: Number.POSITIVE_INFINITY,
    })),
    combine: (operations) =>
      new Map(
        operations.flatMap(({ data }) => {
          const [first] = data?.inputDataObjectIds ?? [];
          return data && first !== undefined ? [[data.id, first] as const] : [];
        }),
      ),
  });
}
