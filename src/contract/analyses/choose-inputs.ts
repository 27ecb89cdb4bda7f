/** Which data an analysis takes where none is named: one rule for the service, recipes, the worker and the page. */

interface Candidate {
  id: string;
  kind: string;
  status: string;
}

/** The completed data objects of these kinds: all of the first kind before the second. @param objects the newest first */
export function rankInputs<T extends Candidate>(objects: readonly T[], kinds: readonly string[]): T[] {
  const ready = objects.filter(({ status }) => status === 'completed');
  return kinds.flatMap((kind) => ready.filter((each) => each.kind === kind));
}

/** The newest of the first kind that there is one of, but never the reference. @param objects the newest first */
export const chooseSource = <T extends Candidate>(
  objects: readonly T[],
  kinds: readonly string[],
  referenceId?: string,
): T | undefined => rankInputs(objects, kinds).find(({ id }) => id !== referenceId);

/**
 * The newest CAD model: a mesh or a volume may have been made of the part itself.
 *
 * @param objects the newest first
 * @param own the ids of what goes back to the same scan or file as the source
 */
export const chooseReference = <T extends Candidate>(
  objects: readonly T[],
  own: ReadonlySet<string> = new Set(),
): T | undefined => rankInputs(objects, ['cad']).find(({ id }) => !own.has(id));
