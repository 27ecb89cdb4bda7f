import { readProjectStatusOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';

/** The project's status with the newest operation of each analysis. */
export const projectStatusOptions = (projectId: string) =>
  readProjectStatusOptions({ path: { project_id: projectId } });
