import { z } from 'zod';
import { operationKinds } from '../analyses/registry.ts';
import { Timestamp, Uuid } from '../base/primitives.ts';
import { definePage } from './page.ts';

/** Letters that take no place alone, such as spaces of no width, make nothing that could be read or clicked. */
const hasVisible = (text: string): boolean => text === '' || /[^\s\p{Cc}\p{DI}\u2800]/u.test(text);
/**
 * Characters that turn the direction of what follows, so that a name reads as another one. Scripts that are written from right to left
 * don't need them. See https://www.unicode.org/reports/tr36/#Bidirectional_Text_Spoofing.
 */
const directionOverrides = /[\u202a-\u202e\u2066-\u2069]/g;
/** Spreadsheets paste tabs and line ends into what lists, mails and file names show as one line. */
export const toOneLine = (text: string): string =>
  text
    .replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')
    .replaceAll(directionOverrides, '')
    .trim();

/** A text of one line, which may be empty. */
export const lineOfText = (longest: number) => z.string().overwrite(toOneLine).max(longest);
/** A text that is shown in lists, where it has to be seen. */
const visibleText = (longest: number) =>
  lineOfText(longest).min(1).refine(hasVisible, 'has no letter that can be seen');

export const Name = visibleText(200);
export const Tag = visibleText(64);

export const WorkspaceRole = z.enum(['viewer', 'editor']).meta({ id: 'WorkspaceRole' });
export type WorkspaceRole = z.infer<typeof WorkspaceRole>;

/** Who may release versions of recipes, whose gates then decide about parts. */
export const RecipeRelease = z
  .strictObject({
    by: z.enum(['managers', 'editors']).meta({ description: 'editors: editors and managers' }),
    notByAuthor: z.boolean().meta({ description: 'true: authors can’t release their own versions' }),
  })
  .meta({ id: 'RecipeRelease' });
export type RecipeRelease = z.infer<typeof RecipeRelease>;
export const defaultRecipeRelease: RecipeRelease = { by: 'managers', notByAuthor: false };

/** Why this member may not release a version; null where he may. */
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
    isManager: z.boolean().meta({ description: 'whether the caller manages it' }),
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
      description: 'of the caller; null = a manager without a role in it',
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
    isDisabled: z.boolean().meta({ description: 'the account can’t sign in' }),
    isManagedHere: z.boolean().meta({
      description:
        'managers may reset the password, disable and delete the account: it belongs to no other organization',
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
    name: Name.optional().meta({ description: 'in this organization' }),
    isManager: z.boolean().default(false),
    workspaces: z.array(MemberWorkspace).max(1000).default([]),
    password: z
      .string()
      .min(10)
      .max(1024)
      .optional()
      .meta({ description: 'first password of an address without an account; without it one is made' }),
  })
  .meta({ id: 'MemberInput' });

/** Somebody who becomes a member, under this id, by signing in or by the link; its secrets are there once. */
export const AddedMember = Member.extend({
  initialPassword: z.string().nullable().meta({
    description:
      'makes the account at the first sign-in, where the address has none; null where it was given in the request',
  }),
  token: z.string().meta({
    description: 'goes after the # of /invitation, where an existing account joins with it',
  }),
}).meta({ id: 'AddedMember' });

export const MemberPatch = z
  .strictObject({
    name: Name.nullable().optional().meta({
      description: 'in this organization only; null = the account’s own name',
    }),
    isManager: z.boolean().optional(),
    isDisabled: z.boolean().optional().meta({ description: 'true ends all sessions and tokens' }),
    workspaces: z.array(MemberWorkspace).max(1000).optional(),
  })
  .meta({ id: 'MemberPatch' });

const mailOutcomes = ['sent', 'failed', 'notSetUp'] as const;

/** A link that sets a new password, just made; its token is there once. */
export const MemberPasswordReset = z
  .object({ token: z.string(), mail: z.enum(mailOutcomes), expiresAt: Timestamp })
  .meta({ id: 'MemberPasswordReset' });

/** Somebody who was asked to join and has not answered yet. */
export const Invitation = z
  .object({
    id: Uuid,
    email: z.string(),
    isManager: z.boolean(),
    workspaces: z.array(MemberWorkspace),
    invitedBy: z.string().nullable().meta({ description: 'e-mail address of the manager' }),
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
    sendMail: z.boolean().default(true).meta({ description: 'mails the link, where mail is set up' }),
  })
  .meta({ id: 'InvitationInput' });

/** An invitation just made; its token is there once, and belongs behind # of an address only. */
export const CreatedInvitation = Invitation.extend({
  token: z.string(),
  mail: z.enum(mailOutcomes),
}).meta({ id: 'CreatedInvitation' });

const InvitationToken = z.string().min(20).max(200);
export const InvitationQuestion = z
  .strictObject({ token: InvitationToken })
  .meta({ id: 'InvitationQuestion' });

/** What an invitation says to whoever holds its link. */
export const OpenInvitation = z
  .object({
    organizationName: z.string(),
    email: z.string(),
    invitedBy: z.string().nullable(),
    hasAccount: z.boolean().meta({
      description:
        'whether to ask for the password of the account or for a new one. Accepting tells the same, and only the invited person and the manager who invites hold the link',
    }),
    expiresAt: Timestamp,
  })
  .meta({ id: 'OpenInvitation' });

export const InvitationAnswer = z
  .strictObject({
    token: InvitationToken,
    name: Name.optional().meta({ description: 'of a new account' }),
    password: z.string().min(1).max(1024).meta({
      description: 'of the account; the first one of a new account, at least 10 characters',
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
