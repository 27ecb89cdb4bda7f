import { useMutation, useQueryClient } from '@tanstack/react-query';
import { createMeasurement, deleteMeasurement, patchMeasurement } from '#web/api/generated/sdk.gen.ts';
import type { Measurement, MeasurementInput, MeasurementPatch } from '#web/api/generated/types.gen.ts';

function useRefresh() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: [{ _id: 'listMeasurements' }] });
}

export function useCreateMeasurement(projectId: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (body: MeasurementInput): Promise<Measurement> =>
      (await createMeasurement({ path: { id: projectId }, body, throwOnError: true })).data,
    onSettled: refresh,
  });
}

export function usePatchMeasurement() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, patch }: { id: string; patch: MeasurementPatch }) =>
      patchMeasurement({ path: { id }, body: patch, throwOnError: true }),
    onSettled: refresh,
  });
}

export function useDeleteMeasurement() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: string) => deleteMeasurement({ path: { id }, throwOnError: true }),
    onSettled: refresh,
  });
}
