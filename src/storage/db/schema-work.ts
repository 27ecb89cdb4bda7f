/** Long-running work: operations, exports, uploads, recipes and their invocations, bulk requests. */
import { sql } from 'drizzle-orm';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  real,
  text,
  uniqueIndex,
  uuid,
} from 'drizzle-orm/pg-core';
import type { Gate } from '#contract/analyses/gates.ts';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import type { ExportMeshFormat, ExportVolumeFormat } from '#contract/base/export-formats.ts';
import type { Verdict } from '#contract/metadata/verdict.ts';
import type { Warning } from '#contract/metadata/warning.ts';
import type { RecipeStatus } from '#contract/shapes/recipe.ts';
import { belongsTo, id, mayReferTo, moment } from './columns.ts';
import { organizations, users } from './schema-accounts.ts';
import { blobs, projects } from './schema-projects.ts';

/** `cancelling`: running work is being stopped. */
export type WorkStatus = 'pending' | 'processing' | 'cancelling' | 'completed' | 'failed' | 'cancelled';

/** Error of failed work; `code` is from the contract's closed list. */
export interface WorkError {
  code: string;
  detail: string;
  [key: string]: unknown;
}

/** Columns common to all kinds of work. */
export const work = () => ({
  status: text('status').$type<WorkStatus>().notNull().default('pending'),
  /** 0 to 1 */
  progress: real('progress').notNull().default(0),
  /** current step, in words */
  stage: text('stage'),
  error: jsonb('error').$type<WorkError>(),
  cancelRequestedAt: moment('cancel_requested_at'),
  createdBy: mayReferTo('created_by', () => users.id),
  createdAt: moment('created_at').notNull().defaultNow(),
  startedAt: moment('started_at'),
  finishedAt: moment('finished_at'),
});

/**
 * Pending and running work. Progress is stored in the row of the work itself; this row stores which worker runs it, and is
 * deleted when the work ends.
 */
export const workQueue = pgTable(
  'work_queue',
  {
    /** id of the operation, export, view, render, invocation or bulk request */
    id: uuid('id').primaryKey(),
    kind: text('kind').notNull(),
    /** kind of worker slot it needs */
    place: text('place').notNull(),
    /** higher first */
    priority: integer('priority').notNull(),
    createdAt: moment('created_at').notNull().defaultNow(),
    /** order among work queued in one transaction, which has the same time */
    sequence: bigint('sequence', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
    /** earliest start; null: immediately. Never the time of queueing, which may be rounded up to a future millisecond. */
    runAt: moment('run_at'),
    /** increased each time a worker takes it; a holder of an older claim has lost it */
    claim: integer('claim').notNull().default(0),
    workerId: uuid('worker_id'),
    /** last heartbeat of its worker */
    beatAt: moment('beat_at'),
    /** requested again, or to be cancelled, while running */
    isRequeued: boolean('is_asked_again').notNull().default(false),
    isCancelled: boolean('is_cancelled').notNull().default(false),
    /** number of times it killed the process that ran it */
    deaths: integer('deaths').notNull().default(0),
    /** number of times its worker was lost together with its other work */
    losses: integer('losses').notNull().default(0),
  },
  (t) => [index('work_queue_order').on(t.place, t.priority.desc(), t.createdAt)],
);

export const operations = pgTable(
  'operations',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    organizationId: belongsTo('organization_id', () => organizations.id),
    /** an analysis or an import */
    operation: text('operation').notNull(),
    ...work(),
    parameters: jsonb('parameters').$type<Record<string, unknown>>().notNull().default({}),
    inputDataObjectIds: uuid('input_data_object_ids').array().notNull().default(sql`'{}'::uuid[]`),
    outputDataObjectIds: uuid('output_data_object_ids').array().notNull().default(sql`'{}'::uuid[]`),
    provenance: jsonb('provenance').$type<Record<string, unknown>>(),
    /** verdict on a comparison's own tolerance, or of a pipeline's gates */
    verdict: text('verdict').$type<Verdict>(),
    warnings: jsonb('warnings').$type<Warning[]>().notNull().default([]),
    /** true for direct requests, of which only one per kind may be pending or running in a project; false for recipe steps */
    exclusive: boolean('exclusive').notNull().default(false),
    /** set for a step of a recipe; no foreign key, so that steps can be created before it is committed */
    invocationId: uuid('invocation_id'),
    stepKey: text('step_key'),
    uploadId: uuid('upload_id'),
  },
  (t) => [
    uniqueIndex('operations_one_waiting_or_running')
      .on(t.projectId, t.operation)
      .where(sql`${t.exclusive} and ${t.status} in ('pending', 'processing')`),
    index('operations_project').on(t.projectId, t.createdAt, t.id),
    index('operations_newest').on(t.projectId, t.operation, t.createdAt),
    index('operations_unfinished').on(t.status, t.createdAt).where(sql`${t.finishedAt} is null`),
    index('operations_invocation').on(t.invocationId).where(sql`${t.invocationId} is not null`),
    index('operations_organization').on(t.organizationId, t.createdAt),
  ],
);

export const uploads = pgTable(
  'uploads',
  {
    /** also the tus id, the last segment of the upload's URL */
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    fileName: text('file_name').notNull(),
    mediaType: text('media_type'),
    metadata: jsonb('metadata').$type<Record<string, string>>().notNull().default({}),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    offsetBytes: bigint('offset_bytes', { mode: 'number' }).notNull().default(0),
    status: text('status').$type<'uploading' | 'completed' | 'cancelled'>().notNull().default('uploading'),
    sha256: text('sha256'),
    blobKey: text('blob_key').references(() => blobs.key),
    operationId: uuid('operation_id'),
    createdBy: mayReferTo('created_by', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
    updatedAt: moment('updated_at').notNull().defaultNow(),
    completedAt: moment('completed_at'),
    expiresAt: moment('expires_at'),
  },
  (t) => [
    index('uploads_project').on(t.projectId, t.createdAt),
    index('uploads_blob').on(t.blobKey).where(sql`${t.blobKey} is not null`),
    index('uploads_expires').on(t.expiresAt).where(sql`${t.status} = 'uploading'`),
  ],
);

export interface ExportConfig {
  exportMeshes: boolean;
  exportVolumes: boolean;
  exportRadiographs: boolean;
  /** default: nrrd */
  volumeFormat?: ExportVolumeFormat;
  /** default: as stored */
  meshFormats?: ExportMeshFormat[];
  /** an inspection report as PDF instead of an archive */
  report?: true;
}

export const exports = pgTable(
  'exports',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    config: jsonb('config').$type<ExportConfig>().notNull(),
    sendToRequester: boolean('send_to_requester').notNull().default(false),
    ...work(),
    fileName: text('file_name'),
    blobKey: text('blob_key').references(() => blobs.key),
    sizeBytes: bigint('size_bytes', { mode: 'number' }),
    sha256: text('sha256'),
    exportGenerationTime: moment('export_generation_time'),
    expiresAt: moment('expires_at'),
  },
  (t) => [
    index('exports_project').on(t.projectId, t.createdAt),
    index('exports_creator').on(t.createdBy, t.createdAt),
    index('exports_blob').on(t.blobKey).where(sql`${t.blobKey} is not null`),
    uniqueIndex('exports_one_waiting_or_running')
      .on(t.projectId, t.config)
      .where(sql`${t.status} in ('pending', 'processing')`),
  ],
);

export const recipes = pgTable(
  'recipes',
  {
    /** recipePk in the interface */
    id: id(),
    organizationId: belongsTo('organization_id', () => organizations.id),
    name: text('name').notNull(),
    createdBy: mayReferTo('created_by', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
    archivedAt: moment('archived_at'),
  },
  (t) => [index('recipes_organization').on(t.organizationId, t.createdAt)],
);

/** Immutable, except for its release. */
export const recipeVersions = pgTable(
  'recipe_versions',
  {
    id: id(),
    recipeId: belongsTo('recipe_id', () => recipes.id),
    organizationId: belongsTo('organization_id', () => organizations.id),
    version: integer('version').notNull(),
    name: text('name').notNull(),
    description: text('description').notNull().default(''),
    steps: jsonb('steps').$type<RecipeStep[]>().notNull(),
    gates: jsonb('gates').$type<Gate[]>().notNull().default([]),
    /** only runs of released versions count towards verdicts */
    status: text('status').$type<RecipeStatus>().notNull().default('draft'),
    releasedBy: mayReferTo('released_by', () => users.id),
    releasedAt: moment('released_at'),
    createdBy: mayReferTo('created_by', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('recipe_versions_key').on(t.recipeId, t.version),
    index('recipe_versions_organization').on(t.organizationId, t.createdAt),
  ],
);

/** Immutable. */
export const scanRecipeRevisions = pgTable(
  'scan_recipe_revisions',
  {
    id: id(),
    organizationId: belongsTo('organization_id', () => organizations.id),
    /** scanRecipePk, the same for all revisions of a scan recipe */
    scanRecipeId: uuid('scan_recipe_id').notNull(),
    revision: integer('revision').notNull(),
    name: text('name').notNull(),
    scanner: text('scanner'),
    acquisition: jsonb('acquisition').$type<Record<string, unknown>>().notNull().default({}),
    geometry: jsonb('geometry').$type<Record<string, unknown>>().notNull().default({}),
    analysisRecipeId: mayReferTo('analysis_recipe_id', () => recipes.id),
    createdBy: mayReferTo('created_by', () => users.id),
    createdAt: moment('created_at').notNull().defaultNow(),
  },
  (t) => [
    uniqueIndex('scan_recipe_revisions_key').on(t.scanRecipeId, t.revision),
    index('scan_recipe_revisions_organization').on(t.organizationId, t.createdAt),
  ],
);

export interface InvocationStep {
  key: string;
  /** operation of the newest attempt */
  operationId: string | null;
  status: string;
}

export interface InvocationGate {
  key: string;
  /** in the unit of the gate */
  measured: number | null;
  limit: number;
  verdict: Verdict | null;
  /** result that the value was read from; earlier versions did not store this and the following fields */
  dataObjectId?: string | null;
  positionMm?: [number, number, number] | null;
  /** expanded uncertainty, in the unit of the gate */
  uncertainty?: number | null;
  /** guard band used for the verdict; in earlier versions always the gate's own */
  guardBand?: number | null;
  /** why it is indeterminate regardless of the measured value */
  reason?: string | null;
}

export const recipeInvocations = pgTable(
  'recipe_invocations',
  {
    id: id(),
    projectId: belongsTo('project_id', () => projects.id),
    organizationId: belongsTo('organization_id', () => organizations.id),
    /** null for a pipeline, whose steps are only in `definition` */
    recipeId: mayReferTo('recipe_id', () => recipes.id),
    recipeVersionId: mayReferTo('recipe_version_id', () => recipeVersions.id),
    /** steps and gates at the time of the request */
    definition: jsonb('definition').$type<{ steps: RecipeStep[]; gates: Gate[] }>().notNull(),
    ...work(),
    verdict: text('verdict').$type<Verdict>(),
    steps: jsonb('steps').$type<InvocationStep[]>().notNull().default([]),
    gates: jsonb('gates').$type<InvocationGate[]>().notNull().default([]),
    /** zip of all result files with results.json, results.csv and the report */
    archiveKey: text('archive_key').references(() => blobs.key),
    /** for a pipeline, the operation that represents it in the project's list */
    operationId: uuid('operation_id'),
    bulkItemId: uuid('bulk_item_id'),
  },
  (t) => [
    index('recipe_invocations_project').on(t.projectId, t.createdAt),
    index('recipe_invocations_version').on(t.recipeVersionId, t.projectId),
    index('recipe_invocations_archive').on(t.archiveKey).where(sql`${t.archiveKey} is not null`),
    index('recipe_invocations_unfinished').on(t.status, t.createdAt).where(sql`${t.finishedAt} is null`),
  ],
);

export const bulkRequests = pgTable(
  'bulk_requests',
  {
    id: id(),
    /** organization of the first project; null when none was accessible */
    organizationId: uuid('organization_id').references(() => organizations.id, { onDelete: 'cascade' }),
    operationType: text('operation_type').notNull(),
    parameters: jsonb('parameters').$type<Record<string, unknown>>().notNull().default({}),
    ...work(),
    totalCount: integer('total_count').notNull(),
    completedCount: integer('completed_count').notNull().default(0),
    failedCount: integer('failed_count').notNull().default(0),
    cancelledCount: integer('cancelled_count').notNull().default(0),
    blobKey: text('blob_key').references(() => blobs.key),
    undoOf: uuid('undo_of'),
  },
  (t) => [
    index('bulk_requests_creator').on(t.createdBy, t.createdAt),
    index('bulk_requests_organization').on(t.organizationId, t.createdAt),
    index('bulk_requests_blob').on(t.blobKey).where(sql`${t.blobKey} is not null`),
    index('bulk_requests_unfinished').on(t.status, t.createdAt).where(sql`${t.finishedAt} is null`),
  ],
);

export const bulkItems = pgTable(
  'bulk_items',
  {
    id: id(),
    bulkRequestId: belongsTo('bulk_request_id', () => bulkRequests.id),
    /** no foreign key, because it may be an unknown project, which becomes the item's error */
    projectId: uuid('project_id').notNull(),
    position: integer('position').notNull(),
    status: text('status').$type<WorkStatus>().notNull().default('pending'),
    error: jsonb('error').$type<WorkError>(),
    /** state, workspace or tags before, for undo */
    before: jsonb('before').$type<Record<string, unknown>>(),
    result: jsonb('result').$type<Record<string, unknown>>(),
    startedAt: moment('started_at'),
    finishedAt: moment('finished_at'),
  },
  (t) => [
    uniqueIndex('bulk_items_position').on(t.bulkRequestId, t.position),
    /** for finding the next pending items in order */
    index('bulk_items_status').on(t.bulkRequestId, t.status, t.position),
    index('bulk_items_project').on(t.projectId),
  ],
);
