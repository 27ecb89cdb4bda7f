/** What a list of projects is asked for, whoever answers it: PostgreSQL or the columns in memory. */

export interface ProjectFilter {
  /** the caller's organizations; with one of them the order comes from an index */
  organizationIds: string[];
  /** the workspaces that the caller may see (or the one asked for), or all of the organizations: faster */
  workspaceIds: string[] | 'all';
  /** only of these */
  ids?: string[] | undefined;
  /** any text: an unknown one gives an empty list; active and archived when not given */
  state?: string | undefined;
  /** all of them must be there */
  tags?: string[] | undefined;
  /** any text; `none` for those without one */
  verdict?: string | undefined;
  /** in name, part or serial number, without case and accents */
  search?: string | undefined;
}

export type ProjectOrder = 'name' | 'createdAt' | 'updatedAt' | 'state' | 'storageBytes' | 'verdict';

/** One page of the projects that a filter lets through. */
export interface PageQuery {
  filter: ProjectFilter;
  order: ProjectOrder;
  /** turns the whole order round, the tie-break by id too */
  isDescending: boolean;
  /** rows before the page */
  offset: number;
  /** rows of a page */
  limit: number;
}

export interface ProjectPage {
  count: number;
  /** of the page, in order */
  ids: string[];
}

/** Where a page of `count` rows is reached with the fewest steps: from the start or, reversed, from the end. */
export function nearestWay({ isDescending, offset, limit }: PageQuery, count: number) {
  const size = Math.max(0, Math.min(limit, count - offset));
  const fromEnd = count - offset - size;
  const isReversed = size > 0 && fromEnd < offset;
  return {
    size,
    skip: isReversed ? fromEnd : offset,
    isReversed,
    isBackwards: isDescending !== isReversed,
  };
}
