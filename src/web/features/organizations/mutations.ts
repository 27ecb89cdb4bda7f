import { notifications } from '@mantine/notifications';
import { type QueryClient, useMutation, useQueryClient } from '@tanstack/react-query';
import { explain } from '#web/api/errors.ts';
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
import { keyMatches } from '#web/api/live-event-queries.ts';

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

const refresh = (queryClient: QueryClient) =>
  queryClient.invalidateQueries({
    predicate: ({ queryKey }) => stale.some((operation) => keyMatches(queryKey, { operation })),
  });

const tell = (error: unknown) => {
  const { title, detail } = explain(error);
  notifications.show({ color: 'danger', title, message: detail, autoClose: false });
};

/** The dialogs show their own problems; changes in a table tell them in a toast. */
export function useOrganizationMutations() {
  const queryClient = useQueryClient();
  const onSettled = () => refresh(queryClient);
  return {
    addMember: useMutation({ ...addMemberMutation(), onSettled }),
    invite: useMutation({ ...createInvitationMutation(), onSettled }),
    revokeInvitation: useMutation({ ...revokeInvitationMutation(), onSettled, onError: tell }),
    renameOrganization: useMutation({ ...patchOrganizationMutation(), onSettled }),
    setRecipeRelease: useMutation({ ...patchOrganizationMutation(), onSettled, onError: tell }),
    deleteWorkspace: useMutation({ ...deleteWorkspaceMutation(), onSettled, onError: tell }),
    createWorkspace: useMutation({ ...createWorkspaceMutation(), onSettled }),
    renameWorkspace: useMutation({ ...patchWorkspaceMutation(), onSettled }),
    patchMember: useMutation({ ...patchMemberMutation(), onSettled, onError: tell }),
    removeMember: useMutation({ ...removeMemberMutation(), onSettled, onError: tell }),
    resetPassword: useMutation({ ...resetMemberPasswordMutation(), onSettled, onError: tell }),
    deleteAccount: useMutation({ ...deleteMemberAccountMutation(), onSettled, onError: tell }),
    patchModule: useMutation({ ...patchAnalysisModuleMutation(), onSettled, onError: tell }),
  };
}
