/** Default inputs of an analysis: one rule for the service, recipes, the worker and the dashboard. */

interface Candidate {
  id: string;
  kind: string;
  status: string;
}

/** Completed data objects of these kinds, all of the first kind before the second. @param objects newest first */
export function rankInputs<T extends Candidate>(objects: readonly T[], kinds: readonly string[]): T[] {
  const ready = objects.filter(({ status }) => status === 'completed');
  return kinds.flatMap((kind) => ready.filter((each) => each.kind === kind));
}

/** The newest data object of the first kind available, excluding the reference. @param objects newest first */
export const chooseSource = <T extends Candidate>(
  objects: readonly T[],
  kinds: readonly string[],
  referenceId?: string,
): T | undefined => rankInputs(objects, kinds).find(({ id }) => id !== referenceId);

/**
 * The newest CAD model. Meshes and volumes are not considered, because they may come from the part itself.
 *
 * @param objects newest first
 * @param own ids of data derived from the same scan or file as the source
 */
export const chooseReference = <T extends Candidate>(
  objects: readonly T[],
  own: ReadonlySet<string> = new Set(),
): T | undefined => rankInputs(objects, ['cad']).find(({ id }) => !own.has(id));
