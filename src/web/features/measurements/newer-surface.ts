import type { DataObject, Measurement } from '#web/api/generated/types.gen.ts';

type Candidate = Pick<DataObject, 'id' | 'kind' | 'name' | 'status' | 'createdByOperation'>;

/**
 * The surface that replaced the one a measurement lies on: the newest that the same analysis made of the scan; null when
 * there is none. The surfaces of materials that one analysis makes differ in name. With several scans, it is unknown
 * which one a surface belongs to.
 *
 * @param dataObjects newest first
 */
export function findNewerSurface<T extends Candidate>(
  { surfaceId }: Pick<Measurement, 'surfaceId'>,
  dataObjects: readonly T[],
): T | null {
  const former = dataObjects.find(({ id }) => id === surfaceId);
  if (!former?.createdByOperation || dataObjects.filter(({ kind }) => kind === 'volume').length !== 1)
    return null;
  const newest = dataObjects.find(
    ({ kind, name, status, createdByOperation }) =>
      kind === former.kind && name === former.name && status === 'completed' && createdByOperation !== null,
  );
  return newest === former ? null : (newest ?? null);
}
