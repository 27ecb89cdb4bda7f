import { useMutation } from '@tanstack/react-query';
import {
  addMemberMutation,
  createInvitationMutation,
  createWorkspaceMutation,
  deleteMemberAccountMutation,
  deleteWorkspaceMutation,
  patchAnalysisModuleMutation,
  patchMemberMutation,
  patchOrganizationMutation,
  patchWorkspaceMutation,
  removeMemberMutation,
  resetMemberPasswordMutation,
  revokeInvitationMutation,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { useRefresh } from '#web/api/refresh.ts';

const stale = [
  'readMe',
  'readOrganization',
  'listOrganizations',
  'listMembers',
  'listInvitations',
  'listAuditLog',
  'listWorkspaces',
  'listAnalysisModules',
  'listProjects',
  'listRecipeVersions',
] as const;

/** Dialogs show their own errors; changes made in a table report errors in a toast. */
export function useOrganizationMutations() {
  const onSettled = useRefresh(...stale);
  return {
    addMember: useMutation({ ...addMemberMutation(), onSettled }),
    invite: useMutation({ ...createInvitationMutation(), onSettled }),
    revokeInvitation: useMutation({ ...revokeInvitationMutation(), onSettled, onError: notifyFailure }),
    renameOrganization: useMutation({ ...patchOrganizationMutation(), onSettled }),
    setRecipeRelease: useMutation({ ...patchOrganizationMutation(), onSettled, onError: notifyFailure }),
    deleteWorkspace: useMutation({ ...deleteWorkspaceMutation(), onSettled, onError: notifyFailure }),
    createWorkspace: useMutation({ ...createWorkspaceMutation(), onSettled }),
    renameWorkspace: useMutation({ ...patchWorkspaceMutation(), onSettled }),
    patchMember: useMutation({ ...patchMemberMutation(), onSettled, onError: notifyFailure }),
    removeMember: useMutation({ ...removeMemberMutation(), onSettled, onError: notifyFailure }),
    resetPassword: useMutation({ ...resetMemberPasswordMutation(), onSettled, onError: notifyFailure }),
    deleteAccount: useMutation({ ...deleteMemberAccountMutation(), onSettled, onError: notifyFailure }),
    patchModule: useMutation({ ...patchAnalysisModuleMutation(), onSettled, onError: notifyFailure }),
  };
}
