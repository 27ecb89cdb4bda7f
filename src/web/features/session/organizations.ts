import type { Me } from '#contract/shapes/session.ts';

export type MyOrganization = Me['organizations'][number];

const rememberedKey = 'scanwright.organization';

/** The organization that the address names, else the one opened last, else the first; null = a member of none. */
export function openOrganization(me: Me, id: string | undefined): MyOrganization | null {
  const wanted = id ?? localStorage.getItem(rememberedKey);
  return me.organizations.find((organization) => organization.id === wanted) ?? me.organizations[0] ?? null;
}

export const rememberOrganization = (id: string): void => localStorage.setItem(rememberedKey, id);
