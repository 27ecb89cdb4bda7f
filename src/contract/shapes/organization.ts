import { z } from 'zod';
import { operationKinds } from '../analyses/kinds.ts';
import { pageOf } from './page.ts';
import { Timestamp, Uuid } from './primitives.ts';

export const Name = z.string().trim().min(1).max(200);

export const WorkspaceRole = z.enum(['viewer', 'editor']).meta({ id: 'WorkspaceRole' });
export type WorkspaceRole = z.infer<typeof WorkspaceRole>;

export const Organization = z
  .object({
    id: Uuid,
    name: z.string(),
    isManager: z.boolean().meta({ description: 'whether the caller manages it' }),
    workspaceCount: z.int(),
    memberCount: z.int(),
    projectCount: z.int(),
    storageBytes: z.int(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Organization' });
export type Organization = z.infer<typeof Organization>;
export const OrganizationPage = pageOf(Organization, 'OrganizationPage');

export const Workspace = z
  .object({
    id: Uuid,
    organizationId: Uuid,
    name: z.string(),
    role: WorkspaceRole.nullable().meta({
      description: 'of the caller; null = a manager without a role in it',
    }),
    projectCount: z.int(),
    createdAt: Timestamp,
  })
  .meta({ id: 'Workspace' });
export type Workspace = z.infer<typeof Workspace>;
export const WorkspacePage = pageOf(Workspace, 'WorkspacePage');
export const WorkspaceInput = z.strictObject({ name: Name }).meta({ id: 'WorkspaceInput' });

const MemberWorkspace = z.strictObject({ id: Uuid, role: WorkspaceRole });

export const Member = z
  .object({
    id: Uuid,
    email: z.string(),
    name: z.string(),
    isManager: z.boolean(),
    workspaces: z.array(MemberWorkspace),
    createdAt: Timestamp,
  })
  .meta({ id: 'Member' });
export type Member = z.infer<typeof Member>;
export const MemberPage = pageOf(Member, 'MemberPage');

export const MemberInput = z
  .strictObject({
    email: z.email().max(320),
    name: Name.optional(),
    isManager: z.boolean().default(false),
    workspaces: z.array(MemberWorkspace).max(1000).default([]),
    password: z
      .string()
      .min(10)
      .max(1024)
      .optional()
      .meta({ description: 'first password of a new account; without it one is made and returned once' }),
  })
  .meta({ id: 'MemberInput' });

/** A member just added; `initialPassword` is there once, for an account that did not exist. */
export const AddedMember = Member.extend({ initialPassword: z.string().nullable() }).meta({
  id: 'AddedMember',
});

export const MemberPatch = z
  .strictObject({
    name: Name.optional(),
    isManager: z.boolean().optional(),
    workspaces: z.array(MemberWorkspace).max(1000).optional(),
  })
  .meta({ id: 'MemberPatch' });

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
export const AnalysisModulePage = pageOf(AnalysisModule, 'AnalysisModulePage');
export const AnalysisModulePatch = z
  .strictObject({ enabled: z.boolean() })
  .meta({ id: 'AnalysisModulePatch' });
