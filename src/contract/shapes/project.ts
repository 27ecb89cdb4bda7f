import { z } from 'zod';
import { analysisKinds } from '../analyses/registry.ts';
import { Timestamp, Uuid } from '../base/primitives.ts';
import { Verdict } from '../metadata/verdict.ts';
import { LeadingCharacteristic } from './characteristic.ts';
import { Disposition } from './disposition.ts';
import { OperationSummary } from './operation.ts';
import { Name, singleLine, Tag } from './organization.ts';
import { countIsEstimate, definePage, PageQuery, withoutPages } from './page.ts';

export const projectStates = ['active', 'archived', 'deleted'] as const;
export const ProjectState = z.enum(projectStates).meta({ id: 'ProjectState' });
export type ProjectState = z.infer<typeof ProjectState>;

export const projectActions = [
  'edit',
  'archive',
  'restore',
  'copy',
  'move',
  'delete',
  'upload',
  'export',
  'comment',
  'runRecipe',
  ...analysisKinds,
] as const;
export type ProjectAction = (typeof projectActions)[number];

export const Capability = z
  .object({
    action: z.enum(projectActions),
    allowed: z.boolean(),
    reason: z.string().nullable().meta({ description: 'why not, for display; null when allowed' }),
    missing: z
      .enum(['source', 'reference'])
      .optional()
      .meta({ description: 'input that the project lacks', 'x-extension': true }),
  })
  .meta({ id: 'Capability' });
export type Capability = z.infer<typeof Capability>;

export const Project = z
  .object({
    id: Uuid,
    identifier: Uuid.meta({ description: 'the same as id' }),
    name: z.string(),
    description: z.string(),
    state: ProjectState,
    workspaceId: Uuid,
    organizationId: Uuid,
    tags: z.array(z.string()),
    partNumber: z.string().nullable().meta({ description: 'null: none given' }),
    serialNumber: z.string().nullable().meta({ description: 'null: none given' }),
    lot: z.string().nullable().meta({ description: 'null: none given' }),
    verdict: Verdict.nullable().meta({
      description:
        'worst verdict among the current characteristics (fail, then indeterminate, then pass); null when there are none',
    }),
    leadingCharacteristic: LeadingCharacteristic.nullable().meta({
      description: 'characteristic that decides the verdict; null without a verdict',
      'x-extension': true,
    }),
    disposition: Disposition.nullable().meta({
      description: 'newest disposition; null when there is none',
      'x-extension': true,
    }),
    thumbnailUrl: z.string().nullable().meta({ description: 'signed address; null when there is none' }),
    storageBytes: z.int().meta({ description: 'size of all files of the project' }),
    dataObjectCount: z.int(),
    latestOperation: OperationSummary.nullable().meta({ description: 'null when there is none' }),
    createdBy: Uuid.nullable().meta({ description: 'null when the account was deleted' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    archivedAt: Timestamp.nullable().meta({ description: 'null when not archived' }),
    capabilities: z.array(Capability),
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof Project>;
export const ProjectPage = definePage(Project, 'ProjectPage');

export const Tags = z
  .array(Tag)
  .max(100)
  .transform((tags) => [...new Set(tags)]);

const PartField = singleLine(200).nullable();

const writable = {
  name: Name,
  description: z.string().max(20_000),
  tags: Tags,
  partNumber: PartField,
  serialNumber: PartField,
  lot: PartField,
};

export const ProjectInput = z
  .strictObject({
    workspaceId: Uuid,
    name: writable.name,
    description: writable.description.default(''),
    tags: writable.tags.default([]),
    partNumber: writable.partNumber.default(null),
    serialNumber: writable.serialNumber.default(null),
    lot: writable.lot.default(null),
  })
  .meta({ id: 'ProjectInput' });
export type ProjectInput = z.infer<typeof ProjectInput>;

export const ProjectUpdate = z.strictObject(writable).meta({ id: 'ProjectUpdate' });
export type ProjectUpdate = z.infer<typeof ProjectUpdate>;
export const ProjectPatch = z.strictObject(writable).partial().meta({ id: 'ProjectPatch' });
export type ProjectPatch = z.infer<typeof ProjectPatch>;

export const Destination = z
  .strictObject({ destinationWorkspaceId: Uuid, name: Name.optional() })
  .meta({ id: 'Destination' });

export const projectOrderings = [
  'name',
  'createdAt',
  'updatedAt',
  'state',
  'storageBytes',
  'verdict',
] as const;
const orderingValues = projectOrderings.flatMap((field) => [field, `-${field}` as const]);

export const ProjectListQuery = PageQuery.extend({
  id: z.array(Uuid).max(200).optional().meta({
    description:
      'may be repeated, up to 200 times; only these projects, if they also match the other filters',
    'x-extension': true,
  }),
  state: z
    .string()
    .optional()
    .meta({ description: '`active`, `archived` or `deleted`; default: active and archived' }),
  workspace: Uuid.optional().meta({ description: 'id of the workspace' }),
  organization: Uuid.optional().meta({ description: 'id of the organization', 'x-extension': true }),
  tag: z.array(z.string()).optional().meta({ description: 'may be repeated; all must match' }),
  verdict: z
    .string()
    .optional()
    .meta({ description: '`pass`, `fail`, `indeterminate` or `none`', 'x-extension': true }),
  search: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'text anywhere in the name, part number or serial number' }),
  ordering: z
    .enum(orderingValues as [string, ...string[]])
    .default('-createdAt')
    .meta({
      description: 'name of a field, prefixed with - for descending',
    }),
});
export type ProjectListQuery = z.infer<typeof ProjectListQuery>;

/** The filters of the project list, without pagination. */
export const ProjectIdsQuery = ProjectListQuery.omit(withoutPages);
export const maxProjectIds = 10_000;
export const ProjectIds = z
  .object({
    count: z.int().meta({ description: 'number of projects that match the filters' }),
    countIsEstimate,
    projectIds: z
      .array(Uuid)
      .meta({ description: `ids of these projects in order, at most ${maxProjectIds.toLocaleString('en')}` }),
  })
  .meta({ id: 'ProjectIds' });
