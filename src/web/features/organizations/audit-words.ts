import { analysisFacts, analysisKinds } from '#contract/analyses/kinds.ts';
import type { AuditEntry } from '#web/api/generated/types.gen.ts';

/** Beside the analyses, whose titles the contract has. */
const words: Record<string, string> = {
  createProject: 'Created a project',
  updateProject: 'Changed a project',
  patchProject: 'Changed a project',
  archiveProject: 'Archived a project',
  restoreProject: 'Restored a project',
  deleteProject: 'Deleted a project',
  copyProject: 'Copied a project',
  moveProject: 'Moved a project',
  purge: 'Purged a project',
  export: 'Exported a project',
  cancelOperation: 'Stopped an operation',
  retryOperation: 'Tried an operation again',
  runRecipe: 'Ran a recipe',
  cancelRecipeInvocation: 'Stopped a recipe',
  retryRecipeInvocation: 'Tried a recipe again',
  createBookmark: 'Kept a view',
  deleteBookmark: 'Deleted a bookmark',
  invite: 'Invited somebody',
  revokeInvitation: 'Took an invitation back',
  acceptInvitation: 'Accepted an invitation',
  addMember: 'Added a member',
  changeMember: 'Changed a member',
  removeMember: 'Removed a member',
  createWorkspace: 'Created a workspace',
  renameWorkspace: 'Renamed a workspace',
  removeWorkspace: 'Removed a workspace',
  renameOrganization: 'Renamed the organization',
  enableModule: 'Switched a module on',
  disableModule: 'Switched a module off',
};
const started: Record<string, string> = Object.fromEntries(
  analysisKinds.map((kind) => [kind, `Started ${analysisFacts[kind].title.toLowerCase()}`]),
);

export const knownActions: readonly string[] = [...Object.keys(words), ...analysisKinds];

/** An action that this page does not know is shown as it is. */
export const actionInWords = (action: string): string => words[action] ?? started[action] ?? action;

/** What is known of it, short: “Foundry A”, “name: x, isManager: true”. */
export function detailInWords({ detail }: AuditEntry): string {
  const entries = Object.entries(detail).filter(([, value]) => value !== null && value !== undefined);
  const text = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
  if (entries.length === 1) return text(entries[0][1]);
  return entries.map(([name, value]) => `${name}: ${text(value)}`).join(', ');
}
