import { useQuery } from '@tanstack/react-query';
import { useRef } from 'react';
import { isUnfinished } from '#contract/base/primitives.ts';
import { projectDataOptions } from '../../features/data-objects/queries.ts';
import { useFinishToasts } from '../../features/operations/finish-toasts.ts';
import { projectOperationsOptions } from '../../features/operations/queries.ts';
import type { ProjectPageSearch } from './project-search.ts';

/**
 * Which data object is shown: the one of the address, or what the operation of the address made. A new result shows
 * itself by `onShow`.
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
  /** what was under way when somebody chose what to look at, or came here */
  const runningAtChoice = useRef<ReadonlySet<string>>(undefined);
  const keepLook = () => {
    runningAtChoice.current = new Set(unfinished?.map(({ id }) => id));
  };
  if (runningAtChoice.current === undefined && operations.isSuccess) keepLook();
  useFinishToasts(projectId, ({ id, operation, outputDataObjectIds }) => {
    // A new result shows itself, unless somebody has chosen one of another kind since it was asked for.
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
