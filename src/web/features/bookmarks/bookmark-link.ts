import type { Bookmark } from '#web/api/generated/types.gen.ts';

/** The address of a bookmark's view, for whoever may see its project. */
export const linkTo = ({ id, projectId }: Pick<Bookmark, 'id' | 'projectId'>): string =>
  `${window.location.origin}/projects/${projectId}?bookmark=${id}`;
