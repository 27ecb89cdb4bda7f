import {
  listProjectOperationsOptions,
  readOperationOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';

/** The newest operations of a project, the newest first. */
export const projectOperationsOptions = (projectId: string, page = 1) =>
  listProjectOperationsOptions({ path: { project_id: projectId }, query: { page, page_size: 50 } });

export const operationOptions = (id: string) => readOperationOptions({ path: { id } });
