import { z } from 'zod';
import { analysisKinds } from '../analyses/registry.ts';
import { Timestamp, Uuid } from '../base/primitives.ts';
import { Verdict } from '../metadata/verdict.ts';
import { LeadingCharacteristic } from './characteristic.ts';
import { Disposition } from './disposition.ts';
import { OperationSummary } from './operation.ts';
import { lineOfText, Name, Tag } from './organization.ts';
import { countIsEstimate, definePage, PageQuery, withoutPages } from './page.ts';

export const projectStates = ['active', 'archived', 'deleted'] as const;
export const ProjectState = z.enum(projectStates).meta({ id: 'ProjectState' });
export type ProjectState = z.infer<typeof ProjectState>;

/** What can be done with a project; each has a reason where it can't. */
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
    reason: z.string().nullable().meta({ description: 'why not, for the caller to read' }),
    missing: z
      .enum(['source', 'reference'])
      .optional()
      .meta({ description: 'the data that the project lacks', 'x-extension': true }),
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
    partNumber: z.string().nullable(),
    serialNumber: z.string().nullable(),
    lot: z.string().nullable(),
    verdict: Verdict.nullable().meta({
      description: 'the worst of the characteristics that are not outdated: fail, indeterminate, pass',
    }),
    leadingCharacteristic: LeadingCharacteristic.nullable().meta({ 'x-extension': true }),
    disposition: Disposition.nullable().meta({
      description: 'the newest',
      'x-extension': true,
    }),
    thumbnailUrl: z.string().nullable(),
    storageBytes: z.int(),
    dataObjectCount: z.int(),
    latestOperation: OperationSummary.nullable(),
    createdBy: Uuid.nullable(),
    createdAt: Timestamp,
    updatedAt: Timestamp,
    archivedAt: Timestamp.nullable(),
    capabilities: z.array(Capability),
  })
  .meta({ id: 'Project' });
export type Project = z.infer<typeof Project>;
export const ProjectPage = definePage(Project, 'ProjectPage');

export const Tags = z
  .array(Tag)
  .max(100)
  .transform((tags) => [...new Set(tags)]);

const PartField = lineOfText(200).nullable();

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
    description: 'may repeat, up to 200 times; only these projects, as far as they match the other filters',
    'x-extension': true,
  }),
  state: z
    .string()
    .optional()
    .meta({ description: 'active, archived or deleted; active and archived by default' }),
  workspace: Uuid.optional(),
  organization: Uuid.optional().meta({ 'x-extension': true }),
  tag: z.array(z.string()).optional().meta({ description: 'may repeat; all must match' }),
  verdict: z
    .string()
    .optional()
    .meta({ description: 'pass, fail, indeterminate or none', 'x-extension': true }),
  search: z
    .string()
    .max(200)
    .optional()
    .meta({ description: 'matches the name anywhere, then part and serial number' }),
  ordering: z
    .enum(orderingValues as [string, ...string[]])
    .default('-createdAt')
    .meta({
      description: 'a field, with - for descending',
    }),
});
export type ProjectListQuery = z.infer<typeof ProjectListQuery>;

/** The same question as the list's, for all of its pages at once. */
export const ProjectIdsQuery = ProjectListQuery.omit(withoutPages);
export const maxProjectIds = 10_000;
export const ProjectIds = z
  .object({
    count: z.int().meta({ description: 'projects that match the filters' }),
    countIsEstimate,
    projectIds: z
      .array(Uuid)
      .meta({ description: `their ids in order, the first ${maxProjectIds.toLocaleString('en')}` }),
  })
  .meta({ id: 'ProjectIds' });
