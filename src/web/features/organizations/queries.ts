import {
  listAnalysisModulesOptions,
  listInvitationsOptions,
  listMembersOptions,
  listWorkspacesOptions,
  readOrganizationOptions,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { wholeAtMost } from '#web/ui/list-page.tsx';

const makeList = (id: string) => ({ path: { id }, query: { page_size: wholeAtMost } });

export const organizationOptions = (id: string) => readOrganizationOptions({ path: { id } });
export const memberOptions = (id: string) => listMembersOptions(makeList(id));
export const workspaceOptions = (id: string) => listWorkspacesOptions(makeList(id));
export const invitationOptions = (id: string) => listInvitationsOptions(makeList(id));
export const moduleOptions = (id: string) => listAnalysisModulesOptions(makeList(id));
