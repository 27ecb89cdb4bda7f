import { patchDataObject } from '#web/api/generated/sdk.gen.ts';
import type { DataObject, DataObjectPatch } from '#web/api/generated/types.gen.ts';
import { useChange } from '#web/api/refresh.ts';

/** Makes an uploaded surface a reference, or a part; what can be run with the project changes with it. */
export const useChangeKind = ({ id }: Pick<DataObject, 'id'>) =>
  useChange(
    (kind: DataObjectPatch['kind']) => patchDataObject({ path: { id }, body: { kind }, throwOnError: true }),
    'listProjectData',
    'readDataObject',
    'readProject',
  );
