import { analyses } from '#contract/analyses/registry.ts';
import type { AuditEntry } from '#web/api/generated/types.gen.ts';
import { bulkWords, countProjects } from '#web/ui/bulk-words.ts';
import { spellOut } from '#web/ui/quantity.ts';
import { valueRows } from '#web/ui/value-rows.ts';

/** Actions other than analyses, whose titles are in the contract. */
const words: Record<string, string> = {
  createProject: 'Created a project',
  editProject: 'Changed a project',
  archiveProject: 'Archived a project',
  restoreProject: 'Restored a project',
  deleteProject: 'Deleted a project',
  copyProject: 'Copied a project',
  moveProject: 'Moved a project',
  purge: 'Purged a project',
  export: 'Exported a project',
  cancelOperation: 'Stopped an operation',
  retryOperation: 'Retried an operation',
  createRecipe: 'Wrote a recipe',
  reviseRecipe: 'Revised a recipe',
  releaseRecipe: 'Released a recipe',
  withdrawRecipe: 'Withdrew a recipe',
  createScanRecipe: 'Wrote a scan recipe',
  reviseScanRecipe: 'Revised a scan recipe',
  runRecipe: 'Ran a recipe',
  cancelRecipeInvocation: 'Stopped a recipe run',
  retryRecipeInvocation: 'Retried a recipe run',
  acceptPart: 'Accepted a part',
  reworkPart: 'Sent a part to rework',
  scrapPart: 'Scrapped a part',
  createBookmark: 'Saved a bookmark',
  deleteBookmark: 'Deleted a bookmark',
  createMeasurement: 'Saved a measurement',
  deleteMeasurement: 'Deleted a measurement',
  signIn: 'Signed in',
  signInFailed: 'Failed to sign in',
  endSession: 'Ended a session',
  changePassword: 'Changed the password',
  requestPasswordReset: 'Requested a password reset',
  resetPassword: 'Reset the password',
  resetMemberPassword: 'Reset a member’s password',
  createAccessToken: 'Created an access token',
  revokeAccessToken: 'Revoked an access token',
  deleteAccount: 'Deleted an account',
  download: 'Downloaded a file',
  createOrganization: 'Created the organization',
  invite: 'Invited a member',
  revokeInvitation: 'Revoked an invitation',
  acceptInvitation: 'Accepted an invitation',
  addMember: 'Added a member',
  changeMember: 'Changed a member',
  removeMember: 'Removed a member',
  createWorkspace: 'Created a workspace',
  renameWorkspace: 'Renamed a workspace',
  removeWorkspace: 'Removed a workspace',
  renameOrganization: 'Renamed the organization',
  changeOrganization: 'Changed a setting of the organization',
  enableModule: 'Switched a module on',
  disableModule: 'Switched a module off',
};
const started: Record<string, string> = Object.fromEntries(
  analyses.map(({ key, title }) => [key, `Started ${title.toLowerCase()}`]),
);
const inBulk: Record<string, string> = Object.fromEntries(
  Object.entries(bulkWords).map(([type, { action }]) => [
    `bulk.${type}`,
    `Requested a bulk run: ${action.toLowerCase()}`,
  ]),
);
const all: Record<string, string> = { ...words, ...started, ...inBulk };

export const knownActions: readonly string[] = Object.keys(all);

export const describeAction = (action: string): string => all[action] ?? spellOut(action);

const isId = (value: unknown): boolean =>
  typeof value === 'string' && /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(value);

/**
 * Details of an entry, short: “Foundry A”, “member: x, is manager: yes”; ids are omitted because they mean nothing to
 * the reader.
 */
export function describeDetail({ detail }: Pick<AuditEntry, 'detail'>): string {
  const known = Object.entries(detail).filter(
    ([, value]) => value !== null && value !== undefined && !isId(value),
  );
  const rows = valueRows(Object.fromEntries(known));
  const [[key, only] = [], ...more] = known;
  if (more.length === 0 && key === 'totalCount' && typeof only === 'number') return countProjects(only);
  if (more.length === 0 && typeof only === 'string' && rows[0]) return rows[0].value;
  return rows.map(({ label, value }) => `${label.toLowerCase()}: ${value}`).join(', ');
}
