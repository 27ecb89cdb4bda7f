import type { Me } from '#contract/shapes/session.ts';

export type MyOrganization = Me['organizations'][number];

const rememberedKey = 'scanwright.organization';

/** The organization that the address names, else the one opened last, else the first; null = a member of none. */
export function openOrganization(me: Me, id: string | undefined): MyOrganization | null {
  const wanted = id ?? localStorage.getItem(rememberedKey);
  return me.organizations.find((organization) => organization.id === wanted) ?? me.organizations[0] ?? null;
}

const isEditor = ({ workspaces }: MyOrganization): boolean =>
  workspaces.some(({ role }) => role === 'editor');

/** Why the caller can't write recipes of the organization, as the service decides it; null = he can. */
export const reasonAgainstRecipes = (organization: MyOrganization): string | null =>
  organization.isManager || isEditor(organization)
    ? null
    : 'You can only view this organization’s recipes; ask a manager for the role editor in a workspace';

/** Why the caller can run no recipe on any project of the organization; null = he can on some. */
export const reasonAgainstRuns = (organization: MyOrganization): string | null =>
  isEditor(organization)
    ? null
    : 'You can only view the projects of this organization; ask a manager for the role editor in a workspace';

export const rememberOrganization = (id: string): void => localStorage.setItem(rememberedKey, id);
