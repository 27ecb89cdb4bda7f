import { createMeasurement, deleteMeasurement, patchMeasurement } from '#web/api/generated/sdk.gen.ts';
import type { MeasurementInput, MeasurementPatch } from '#web/api/generated/types.gen.ts';
import { useChange } from '#web/api/refresh.ts';

export const useCreateMeasurement = (projectId: string) =>
  useChange(
    async (body: MeasurementInput) => (await createMeasurement({ path: { id: projectId }, body })).data,
    'listMeasurements',
  );

export const usePatchMeasurement = () =>
  useChange(
    ({ id, patch }: { id: string; patch: MeasurementPatch }) =>
      patchMeasurement({ path: { id }, body: patch }),
    'listMeasurements',
  );

export const useDeleteMeasurement = () =>
  useChange((id: string) => deleteMeasurement({ path: { id } }), 'listMeasurements');
