import type { Me } from '#contract/shapes/session.ts';

export type MyOrganization = Me['organizations'][number];

const rememberedKey = 'scanwright.organization';

/** The organization named in the address, else the one opened last, else the first; null = the user belongs to none. */
export function openOrganization(me: Me, id: string | undefined): MyOrganization | null {
  const wanted = id ?? localStorage.getItem(rememberedKey);
  return me.organizations.find((organization) => organization.id === wanted) ?? me.organizations[0] ?? null;
}

const isEditor = ({ workspaces }: MyOrganization): boolean =>
  workspaces.some(({ role }) => role === 'editor');

/** Why the user can't write recipes of the organization (the same rule as in the service); null = they can. */
export const reasonAgainstRecipes = (organization: MyOrganization): string | null =>
  organization.isManager || isEditor(organization)
    ? null
    : 'You can only view this organization’s recipes; ask a manager for the editor role in a workspace';

/** Why the user can't run recipes on any project of the organization; null = they can on some. */
export const reasonAgainstRuns = (organization: MyOrganization): string | null =>
  isEditor(organization)
    ? null
    : 'You can only view the projects of this organization; ask a manager for the editor role in a workspace';

export const rememberOrganization = (id: string): void => localStorage.setItem(rememberedKey, id);
