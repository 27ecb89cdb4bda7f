import {
  listAnalysisModulesOptions,
  listInvitationsOptions,
  listMembersOptions,
  listWorkspacesOptions,
  readOrganizationOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { wholeAtMost } from '#web/ui/list-page.tsx';

const listOf = (id: string) => ({ path: { id }, query: { page_size: wholeAtMost } });

export const organizationOptions = (id: string) => readOrganizationOptions({ path: { id } });
export const memberOptions = (id: string) => listMembersOptions(listOf(id));
export const workspaceOptions = (id: string) => listWorkspacesOptions(listOf(id));
export const invitationOptions = (id: string) => listInvitationsOptions(listOf(id));
export const moduleOptions = (id: string) => listAnalysisModulesOptions(listOf(id));
