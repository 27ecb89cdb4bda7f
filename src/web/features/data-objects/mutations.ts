import { patchDataObject } from '#web/api/generated/sdk.gen.ts';
import type { DataObject, DataObjectPatch } from '#web/api/generated/types.gen.ts';
import { useChange } from '#web/api/refresh.ts';

/**
 * Changes an uploaded surface to a reference or to a part. This also changes which analyses can be run on the project.
 */
export const useChangeKind = ({ id }: Pick<DataObject, 'id'>) =>
  useChange(
    (kind: DataObjectPatch['kind']) => patchDataObject({ path: { id }, body: { kind } }),
    'listProjectData',
    'readDataObject',
    'readProject',
  );
