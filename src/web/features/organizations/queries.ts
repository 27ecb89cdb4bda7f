import { z } from 'zod';
import {
  listAnalysisModulesOptions,
  listInvitationsOptions,
  listMembersOptions,
  listWorkspacesOptions,
  readOrganizationOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { listSearch, wholeAtMost } from '#web/ui/list-page.tsx';
import { searchWords } from '#web/ui/search-field.tsx';

/** State of the audit log stored in its address. */
export const AuditSearch = listSearch({
  action: z.string().min(1).max(100).optional().catch(undefined),
  actor: z.guid().optional().catch(undefined),
});
export type AuditSearch = z.infer<typeof AuditSearch>;

/** State of the organization's page stored in its address. */
export const organizationTabs = ['members', 'workspaces', 'modules', 'recipes', 'audit'] as const;
export const OrganizationSearch = AuditSearch.extend({
  tab: z.enum(organizationTabs).optional().catch(undefined),
  /** searched in members, invitations and workspaces */
  search: z.unknown().transform(searchWords).optional(),
});
export type OrganizationSearch = Omit<z.infer<typeof OrganizationSearch>, 'tab'>;

const makeList = (id: string) => ({ path: { id }, query: { page_size: wholeAtMost } });

export const organizationOptions = (id: string) => readOrganizationOptions({ path: { id } });
export const memberOptions = (id: string) => listMembersOptions(makeList(id));
export const workspaceOptions = (id: string) => listWorkspacesOptions(makeList(id));
export const invitationOptions = (id: string) => listInvitationsOptions(makeList(id));
export const moduleOptions = (id: string) => listAnalysisModulesOptions(makeList(id));
