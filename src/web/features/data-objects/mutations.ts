import { useMutation, useQueryClient } from '@tanstack/react-query';
import { patchDataObject } from '#web/api/generated/sdk.gen.ts';
import type { DataObject, DataObjectPatch } from '#web/api/generated/types.gen.ts';

/** Makes an uploaded surface a reference, or a part; what can be run with the project changes with it. */
export function useChangeKind({ id }: Pick<DataObject, 'id'>) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (kind: DataObjectPatch['kind']) =>
      patchDataObject({ path: { id }, body: { kind }, throwOnError: true }),
    onSuccess: () =>
      Promise.all(
        ['listProjectData', 'readDataObject', 'readProject'].map((operation) =>
          queryClient.invalidateQueries({ queryKey: [{ _id: operation }] }),
        ),
      ),
  });
}
