import { keepPreviousData } from '@tanstack/react-query';
import {
  listProjectOperationsOptions,
  readOperationOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { type ListSearch, pageQuery } from '#web/ui/list-page.tsx';

/** The operations of a project, newest first. */
export const projectOperationsOptions = (projectId: string, search: ListSearch = {}) => ({
  ...listProjectOperationsOptions({ path: { project_id: projectId }, query: pageQuery(search) }),
  placeholderData: keepPreviousData,
});

export const operationOptions = (id: string) => readOperationOptions({ path: { id } });
