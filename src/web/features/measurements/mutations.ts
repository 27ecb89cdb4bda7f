import { createMeasurement, deleteMeasurement, patchMeasurement } from '#web/api/generated/sdk.gen.ts';
import type { MeasurementInput, MeasurementPatch } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { useChange } from '#web/api/refresh.ts';
import { rememberUndo } from '#web/ui/undo-toast.tsx';

export const useCreateMeasurement = (projectId: string) =>
  useChange(
    async (body: MeasurementInput) => (await createMeasurement({ path: { id: projectId }, body })).data,
    'listMeasurements',
  );

/** Ids of deleted measurements and of those that replaced them: earlier steps still name the deleted ones. */
const replaced = new Map<string, string>();
const findCurrent = (id: string): string => {
  const next = replaced.get(id);
  return next === undefined ? id : findCurrent(next);
};

/** Creates a deleted measurement again, under a new id. */
export const useRestoreMeasurement = (projectId: string) =>
  useChange(async ({ id, body }: { id: string; body: MeasurementInput }) => {
    const featureIds = body.featureIds?.map(findCurrent) ?? [];
    const { data } = await createMeasurement({ path: { id: projectId }, body: { ...body, featureIds } });
    replaced.set(findCurrent(id), data.id);
  }, 'listMeasurements');

export const usePatchMeasurement = () =>
  useChange(
    ({ id, patch }: { id: string; patch: MeasurementPatch }) =>
      patchMeasurement({ path: { id: findCurrent(id) }, body: patch }),
    'listMeasurements',
  );

export const useDeleteMeasurement = () =>
  useChange((id: string) => deleteMeasurement({ path: { id: findCurrent(id) } }), 'listMeasurements');

/** @returns a function that adds a new measurement to what Ctrl+Z undoes */
export function useRememberMade(projectId: string): (id: string, body: MeasurementInput) => void {
  const remove = useDeleteMeasurement();
  const restore = useRestoreMeasurement(projectId);
  return (id, body) =>
    rememberUndo(
      `“${body.name}” measured`,
      () => remove.mutate(id, { onError: notifyFailure }),
      id,
      () => restore.mutate({ id, body }, { onError: notifyFailure }),
    );
}
