/** Users and their tokens, organizations, workspaces, memberships, modules. */
import { sql } from 'drizzle-orm';
import { boolean, index, inet, jsonb, pgTable, primaryKey, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { belongsTo, id, mayReferTo, moment } from './columns.ts';

export const users = pgTable(
  'users',
  {
    id: id(),
    email: text('email').notNull(),
    name: text('name').notNull(),
    /** argon2id in PHC form; null for an account that can't sign in with a password */
    passwordHash: text('password_hash'),
    disabledAt: moment('disabled_at'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [uniqueIndex('users_email_key').on(sql`lower(${t.email})`)],
);

export const tokens = pgTable(
  'tokens',
  {
    id: id(),
    /** SHA-256 of the token in hex; the token itself is never stored */
    hash: text('hash').notNull(),
    userId: belongsTo('user_id', () => users.id),
    kind: text('kind').$type<'session' | 'personal'>().notNull(),
    name: text('name'),
    scope: text('scope').$type<'full' | 'read'>().notNull().default('full'),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at'),
    lastUsedAt: moment('last_used_at'),
    revokedAt: moment('revoked_at'),
    /** IP address at sign-in, for the list of sessions */
    address: inet('address'),
    userAgent: text('user_agent'),
  },
  (t) => [
    uniqueIndex('tokens_hash_key').on(t.hash),
    index('tokens_user').on(t.userId),
    index('tokens_expires').on(t.expiresAt),
  ],
);

/** One row per attempt counted by a rate limit; old rows are swept. */
export const rateLimitHits = pgTable(
  'rate_limit_hits',
  {
    id: id(),
    /** action and caller, such as `sign-in 192.0.2.1 ida@example.com` */
    key: text('key').notNull(),
    at: moment('at').notNull().defaultNow(),
  },
  (t) => [index('rate_limit_hits_key').on(t.key, t.at), index('rate_limit_hits_at').on(t.at)],
);

/** A link for setting a new password once, requested by the user (email) or created by a manager. */
export const passwordResets = pgTable(
  'password_resets',
  {
    id: id(),
    userId: belongsTo('user_id', () => users.id),
    /** SHA-256 in hex of the token in the link; the token itself is never stored */
    tokenHash: text('token_hash').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    uniqueIndex('password_resets_token_key').on(t.tokenHash),
    index('password_resets_user').on(t.userId),
  ],
);

export const organizations = pgTable(
  'organizations',
  {
    id: id(),
    name: text('name').notNull(),
    slug: text('slug').notNull(),
    plan: text('plan').notNull().default('standard'),
    settings: jsonb('settings').$type<Record<string, unknown>>().notNull().default({}),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [uniqueIndex('organizations_slug_key').on(t.slug)],
);

export const organizationMembers = pgTable(
  'organization_members',
  {
    /** the membership's own id in the interface, not the user's */
    id: id(),
    organizationId: belongsTo('organization_id', () => organizations.id),
    userId: belongsTo('user_id', () => users.id),
    isManager: boolean('is_manager').notNull().default(false),
    /** name given by a manager of this organization; null: the name of the account */
    name: text('name'),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('organization_members_key').on(t.organizationId, t.userId),
    index('organization_members_user').on(t.userId),
  ],
);

/** An open invitation; deleted once accepted or revoked. */
export const invitations = pgTable(
  'invitations',
  {
    id: id(),
    organizationId: belongsTo('organization_id', () => organizations.id),
    email: text('email').notNull(),
    /** name in this organization; null: the name of the account */
    name: text('name'),
    /** hash of the initial password for an address without an account; signing in with it creates the account and accepts */
    passwordHash: text('password_hash'),
    isManager: boolean('is_manager').notNull().default(false),
    workspaces: jsonb('workspaces')
      .$type<{ id: string; role: 'viewer' | 'editor' }[]>()
      .notNull()
      .default([]),
    /** SHA-256 in hex of the token in the link; the token itself is never stored */
    tokenHash: text('token_hash').notNull(),
    invitedBy: mayReferTo('invited_by', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
    expiresAt: moment('expires_at').notNull(),
  },
  (t) => [
    uniqueIndex('invitations_token_key').on(t.tokenHash),
    uniqueIndex('invitations_email_key').on(t.organizationId, sql`lower(${t.email})`),
  ],
);

export const workspaces = pgTable(
  'workspaces',
  {
    id: id(),
    organizationId: belongsTo('organization_id', () => organizations.id),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    archivedAt: moment('archived_at'),
  },
  (t) => [
    uniqueIndex('workspaces_name_key')
      .on(t.organizationId, sql`lower(${t.name})`)
      .where(sql`${t.archivedAt} is null`),
  ],
);

export const workspaceMembers = pgTable(
  'workspace_members',
  {
    workspaceId: belongsTo('workspace_id', () => workspaces.id),
    userId: belongsTo('user_id', () => users.id),
    role: text('role').$type<'viewer' | 'editor'>().notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [primaryKey({ columns: [t.workspaceId, t.userId] }), index('workspace_members_user').on(t.userId)],
);

export const analysisModules = pgTable(
  'analysis_modules',
  {
    id: id(),
    organizationId: belongsTo('organization_id', () => organizations.id),
    key: text('key').notNull(),
    name: text('name').notNull(),
    enabled: boolean('enabled').notNull().default(true),
    updatedAt: moment('updated_at').notNull().defaultNow(),
  },
  (t) => [uniqueIndex('analysis_modules_key').on(t.organizationId, t.key)],
);
