import { useQueries } from '@tanstack/react-query';
import { listForeignReferencesOptions } from './generated/@tanstack/react-query.gen.ts';

/**
 * Names of the input data objects of a project's operations, including inputs from another project.
 * @returns null for data that is in no project the user can see
 */
export function useDataNames(
  projectId: string,
  own: readonly { id: string; name: string }[] | undefined,
  ids: readonly string[],
): (dataObjectId: string) => string | null {
  const names = new Map(own?.map(({ id, name }) => [id, name]));
  const missing = own ? [...new Set(ids)].filter((id) => !names.has(id)) : [];
  const found = useQueries({
    queries: missing.map((id) => listForeignReferencesOptions({ path: { id: projectId }, query: { id } })),
  });
  for (const [i, id] of missing.entries()) {
    const [reference] = found[i]?.data?.results ?? [];
    if (reference) names.set(id, `${reference.name} of ${reference.projectName}`);
    else if (found[i]?.isPending) names.set(id, '…');
  }
  return (id) => names.get(id) ?? null;
}
