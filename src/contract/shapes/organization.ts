import { z } from 'zod';
import { operationKinds } from '../analyses/registry.ts';
import { Timestamp, Uuid } from '../base/primitives.ts';
import { definePage } from './page.ts';

/** Text of only invisible characters, such as zero-width spaces, can be neither read nor clicked. */
const hasVisible = (text: string): boolean => text === '' || /[^\s\p{Cc}\p{DI}\u2800]/u.test(text);
/**
 * Control characters that reverse the direction of the text after them, so that one name looks like another.
 * Right-to-left scripts do not need them. See https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing.
 */
const directionOverrides = /[\u202a-\u202e\u2066-\u2069]/g;
/** Text pasted from spreadsheets contains tabs and line breaks; lists, emails and file names need a single line. */
export const toOneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(directionOverrides, '')
    .trim();

/** A single line of text, which may be empty. */
export const singleLine = (longest: number) => z.string().overwrite(toOneLine).max(longest);
/** A single line of text with at least one visible character. */
const visibleText = (longest: number) =>
  singleLine(longest).min(1).refine(hasVisible, 'has no letter that can be seen');

export const Name = visibleText(200);
export const Tag = visibleText(64);

export const WorkspaceRole = z.enum(['viewer', 'editor']).meta({ id: 'WorkspaceRole' });
export type WorkspaceRole = z.infer<typeof WorkspaceRole>;

/** Who may release recipe versions; only the gates of released versions decide on parts. */
export const RecipeRelease = z
  .strictObject({
    by: z.enum(['managers', 'editors']).meta({ description: 'editors: both editors and managers' }),
    notByAuthor: z.boolean().meta({ description: 'true: authors can’t release their own versions' }),
  })
  .meta({ id: 'RecipeRelease' });
export type RecipeRelease = z.infer<typeof RecipeRelease>;
export const defaultRecipeRelease: RecipeRelease = { by: 'managers', notByAuthor: false };

/** Why a member may not release a version; null when allowed. */
export function reasonAgainstRelease(
  { by, notByAuthor }: RecipeRelease,
  { isManager, isAuthor }: { isManager: boolean; isAuthor: boolean },
): string | null {
  if (by === 'managers' && !isManager) return 'Managers of the organization release recipes.';
  return notByAuthor && isAuthor ? 'Somebody else than its author has to release it.' : null;
}

export const Organization = z
  .object({
    id: Uuid,
    name: z.string(),
    isManager: z.boolean().meta({ description: 'true: the caller is a manager of the organization' }),
    workspaceCount: z.int(),
    memberCount: z.int(),
    projectCount: z.int(),
    storageBytes: z.int(),
    recipeRelease: RecipeRelease.meta({ 'x-extension': true }),
    createdAt: Timestamp,
  })
  .meta({ id: 'Organization' });
export type Organization = z.infer<typeof Organization>;
export const OrganizationPage = definePage(Organization, 'OrganizationPage');

export const Workspace = z
  .object({
    id: Uuid,
    organizationId: Uuid,
    name: z.string(),
    role: WorkspaceRole.nullable().meta({
      description: 'role of the caller; null: a manager without a role in this workspace',
    }),
    projectCount: z.int(),
    storageBytes: z.int(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Workspace' });
export type Workspace = z.infer<typeof Workspace>;
export const WorkspacePage = definePage(Workspace, 'WorkspacePage');
export const WorkspaceInput = z.strictObject({ name: Name }).meta({ id: 'WorkspaceInput' });

export const OrganizationPatch = z
  .strictObject({ name: Name.optional(), recipeRelease: RecipeRelease.optional() })
  .meta({ id: 'OrganizationPatch' });

const MemberWorkspace = z.strictObject({ id: Uuid, role: WorkspaceRole });

export const Member = z
  .object({
    id: Uuid,
    email: z.string(),
    name: z.string(),
    isManager: z.boolean(),
    isDisabled: z.boolean().meta({ description: 'true: the account can’t sign in' }),
    isManagedHere: z.boolean().meta({
      description:
        'true: the account belongs to no other organization, so managers may reset its password, disable it and delete it',
    }),
    workspaces: z.array(MemberWorkspace),
    createdAt: Timestamp,
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;
export const MemberPage = definePage(Member, 'MemberPage');

export const MemberInput = z
  .strictObject({
    email: z.email().max(320),
    name: Name.optional().meta({ description: 'name in this organization' }),
    isManager: z.boolean().default(false),
    workspaces: z.array(MemberWorkspace).max(1000).default([]),
    password: z
      .string()
      .min(10)
      .max(1024)
      .optional()
      .meta({ description: 'initial password when the address has no account; default: generated' }),
  })
  .meta({ id: 'MemberInput' });

/** A new member, who joins under this id by signing in or by the link. The secrets are returned only once. */
export const AddedMember = Member.extend({
  initialPassword: z.string().nullable().meta({
    description:
      'generated password with which the first sign-in creates the account; null when the request gave one',
  }),
  token: z.string().meta({
    description: 'token with which an existing account joins, at `/invitation#<token>`',
  }),
}).meta({ id: 'AddedMember' });

export const MemberPatch = z
  .strictObject({
    name: Name.nullable().optional().meta({
      description: 'name in this organization only; null: the account’s own name',
    }),
    isManager: z.boolean().optional(),
    isDisabled: z
      .boolean()
      .optional()
      .meta({ description: 'true: disables the account and ends all its sessions and tokens' }),
    workspaces: z.array(MemberWorkspace).max(1000).optional(),
  })
  .meta({ id: 'MemberPatch' });

const mailOutcomes = ['sent', 'failed', 'notSetUp'] as const;

/** A newly created link for setting a new password. The token is returned only once. */
export const MemberPasswordReset = z
  .object({ token: z.string(), mail: z.enum(mailOutcomes), expiresAt: Timestamp })
  .meta({ id: 'MemberPasswordReset' });

/** An invitation that has not been answered yet. */
export const Invitation = z
  .object({
    id: Uuid,
    email: z.string(),
    isManager: z.boolean(),
    workspaces: z.array(MemberWorkspace),
    invitedBy: z
      .string()
      .nullable()
      .meta({ description: 'email address of the manager; null when the account was deleted' }),
    createdAt: Timestamp,
    expiresAt: Timestamp,
  })
  .meta({ id: 'Invitation' });
export type Invitation = z.infer<typeof Invitation>;
export const InvitationPage = definePage(Invitation, 'InvitationPage');

export const InvitationInput = z
  .strictObject({
    email: z.email().max(320),
    isManager: z.boolean().default(false),
    workspaces: z.array(MemberWorkspace).max(1000).default([]),
    sendMail: z.boolean().default(true).meta({ description: 'true: email the link, when email is set up' }),
  })
  .meta({ id: 'InvitationInput' });

/** A newly created invitation. The token is returned only once; put it in a URL only after #. */
export const CreatedInvitation = Invitation.extend({
  token: z.string(),
  mail: z.enum(mailOutcomes),
}).meta({ id: 'CreatedInvitation' });

const InvitationToken = z.string().min(20).max(200);
export const InvitationQuestion = z
  .strictObject({ token: InvitationToken })
  .meta({ id: 'InvitationQuestion' });

/** An invitation as shown to anyone who has its link. */
export const OpenInvitation = z
  .object({
    organizationName: z.string(),
    email: z.string(),
    invitedBy: z.string().nullable(),
    hasAccount: z.boolean().meta({
      description:
        'true: ask for the account’s password; false: ask for a new one. Reveals nothing that accepting would not, and only the invited person and the inviting manager have the link',
    }),
    expiresAt: Timestamp,
  })
  .meta({ id: 'OpenInvitation' });

export const InvitationAnswer = z
  .strictObject({
    token: InvitationToken,
    name: Name.optional().meta({ description: 'name for a new account' }),
    password: z.string().min(1).max(1024).meta({
      description:
        'password of the existing account, or initial password of a new one, at least 10 characters',
    }),
  })
  .meta({ id: 'InvitationAnswer' });

export const AnalysisModule = z
  .object({
    id: Uuid,
    key: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    operations: z.array(z.enum(operationKinds)),
  })
  .meta({ id: 'AnalysisModule' });
export type AnalysisModule = z.infer<typeof AnalysisModule>;
export const AnalysisModulePage = definePage(AnalysisModule, 'AnalysisModulePage');
export const AnalysisModulePatch = z
  .strictObject({ enabled: z.boolean() })
  .meta({ id: 'AnalysisModulePatch' });
