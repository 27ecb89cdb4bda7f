import type { Bookmark } from '#web/api/generated/types.gen.ts';

/** Link to a bookmark's view; works for users who may see its project. */
export const linkTo = ({ id, projectId }: Pick<Bookmark, 'id' | 'projectId'>): string =>
  `${window.location.origin}/projects/${projectId}?bookmark=${id}`;
