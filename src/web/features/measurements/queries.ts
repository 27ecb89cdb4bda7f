import { listMeasurementsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';

/** In order of creation. */
export const measurementOptions = (projectId: string) =>
  listMeasurementsOptions({ path: { id: projectId }, query: { page_size: 200 } });
