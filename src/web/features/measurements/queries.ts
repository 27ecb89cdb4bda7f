import { listMeasurementsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';

/** In the order in which they were made. */
export const measurementOptions = (projectId: string) =>
  listMeasurementsOptions({ path: { id: projectId }, query: { page_size: 200 } });
