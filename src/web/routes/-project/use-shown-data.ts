import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { isUnfinished } from '#contract/base/primitives.ts';
import { projectDataOptions } from '#web/features/data-objects/queries.ts';
import { useFinishToasts } from '#web/features/operations/finish-toasts.ts';
import { projectOperationsOptions } from '#web/features/operations/queries.ts';
import type { ProjectPageSearch } from './project-search.ts';

/**
 * The data object shown: the one named in the address, or the output of the operation named there. A new result is
 * shown by calling `onShow`.
 */
export function useShownData(projectId: string, search: ProjectPageSearch, onShow: (id: string) => void) {
  const data = useQuery(projectDataOptions(projectId));
  const operations = useQuery(projectOperationsOptions(projectId));
  const dataObjects = data.data?.results ?? [];
  const selected =
    dataObjects.find(({ id }) => id === search.data) ??
    dataObjects.find(
      ({ createdByOperation }) => search.operation !== undefined && createdByOperation === search.operation,
    ) ??
    null;
  const unfinished = operations.data?.results.filter(({ status }) => isUnfinished(status));
  /** ids of operations that were running when the user last chose what to look at, or opened the page */
  const runningAtChoice = useRef<ReadonlySet<string>>(undefined);
  const keepLook = () => {
    runningAtChoice.current = new Set(unfinished?.map(({ id }) => id));
  };
  if (runningAtChoice.current === undefined && operations.isSuccess) keepLook();
  useFinishToasts(projectId, ({ id, operation, outputDataObjectIds }) => {
    // A new result is shown, unless the user has chosen a result of another kind since the operation started.
    const keepsLook =
      selected !== null &&
      runningAtChoice.current?.has(id) === true &&
      selected.kind !== 'volume' &&
      selected.createdByOperation !== null;
    const sameKind = operations.data?.results.some(
      (earlier) => earlier.id === selected?.createdByOperation && earlier.operation === operation,
    );
    const [output] = outputDataObjectIds;
    if (output === undefined || operation === 'ingest' || (keepsLook && !sameKind)) return;
    if (search.bookmark !== undefined) return;
    onShow(output);
  });
  return { selected, unfinished, keepLook };
}
