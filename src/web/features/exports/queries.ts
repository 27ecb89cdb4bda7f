import { listExportsOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';

/** The project's exports, the newest first. */
export const projectExportsOptions = (projectId: string) =>
  listExportsOptions({ query: { project: projectId, page_size: 50 } });
