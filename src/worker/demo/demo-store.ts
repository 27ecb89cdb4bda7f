/** Database rows of the demo. Finished parts are recorded, so that an interrupted start continues. */
import { and, asc, eq, isNull, sql } from 'drizzle-orm';
import { fillDefaults, pipeline } from '#contract/analyses/pipeline.ts';
import { type Database, inTransaction, type Transaction } from '#storage/db/connection.ts';
import { notify } from '#storage/db/events.ts';
import {
  organizationMembers,
  organizations,
  workspaceMembers,
  workspaces,
} from '#storage/db/schema-accounts.ts';
import { dispositions } from '#storage/db/schema-collaboration.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { settings } from '#storage/db/schema-system.ts';
import { operations, recipes, recipeVersions, uploads } from '#storage/db/schema-work.ts';
import { projectTexts } from '#storage/db/search-text.ts';
import { insertRow, takeRow } from '#storage/db/take-row.ts';
import { type DemoState, demoSetting } from '#storage/demo-state.ts';
import { createInvocation } from '#storage/recipes/invocations.ts';
import { requestWork } from '#storage/work/life.ts';
import type { StoredFile } from '../results/write-results.ts';
import type { DemoPart, DemoPipeline } from './parts.ts';

const ORGANIZATION = 'demo';

/** Which parts exist. Decides once, on a new database, whether there will be a demo. */
export async function readDemoState(db: Database, parts: number): Promise<DemoState> {
  return inTransaction(db, async (tx) => {
    const some = await tx.select({ id: projects.id }).from(projects).limit(1);
    const state: DemoState = { wanted: some.length === 0, parts, made: {}, analysed: [], decided: [] };
    await tx.insert(settings).values({ key: demoSetting, value: state }).onConflictDoNothing();
    return lockState(tx);
  });
}

async function lockState(tx: Transaction): Promise<DemoState> {
  const rows = await tx.select().from(settings).where(eq(settings.key, demoSetting)).for('update');
  return takeRow(rows).value as DemoState;
}

const writeState = (tx: Transaction, value: DemoState) =>
  tx.update(settings).set({ value, updatedAt: sql`now()` }).where(eq(settings.key, demoSetting));

export interface DemoPlace {
  organizationId: string;
  /** creator of the organization and owner of the projects */
  managerId: string | null;
}

/** The organization created by the first start, if it still exists. */
export async function findDemoPlace(db: Database): Promise<DemoPlace | undefined> {
  const [organization] = await db.select().from(organizations).where(eq(organizations.slug, ORGANIZATION));
  if (!organization) return undefined;
  const [manager] = await db
    .select()
    .from(organizationMembers)
    .where(
      and(eq(organizationMembers.organizationId, organization.id), eq(organizationMembers.isManager, true)),
    )
    .orderBy(asc(organizationMembers.createdAt))
    .limit(1);
  return { organizationId: organization.id, managerId: manager?.userId ?? null };
}

async function findOrMakeWorkspace(tx: Transaction, place: DemoPlace, name: string): Promise<string> {
  const { organizationId, managerId } = place;
  const [found] = await tx
    .select({ id: workspaces.id })
    .from(workspaces)
    .where(
      and(
        eq(workspaces.organizationId, organizationId),
        eq(workspaces.name, name),
        isNull(workspaces.archivedAt),
      ),
    );
  if (found) return found.id;
  const made = await insertRow(tx, workspaces, { organizationId, name });
  if (managerId) {
    await tx.insert(workspaceMembers).values({ workspaceId: made.id, userId: managerId, role: 'editor' });
  }
  return made.id;
}

export interface DemoFiles {
  volume: StoredFile;
  cad: StoredFile | undefined;
  radiographs: StoredFile | undefined;
}

/**
 * Creates a project with imports of its scan and its nominal shape. Returns false when it already exists: the files are
 * not needed then.
 */
export async function insertDemoProject(
  db: Database,
  place: DemoPlace,
  part: DemoPart,
  files: DemoFiles,
): Promise<boolean> {
  return inTransaction(db, async (tx) => {
    const state = await lockState(tx);
    if (part.key in state.made) return false;
    const { organizationId, managerId } = place;
    const workspaceId = await findOrMakeWorkspace(tx, place, part.workspace);
    const { name, description, partNumber, serialNumber, lot, tags } = part;
    const rows = await tx
      .insert(projects)
      .values({
        ...projectTexts({ name, partNumber, serialNumber }),
        organizationId,
        workspaceId,
        description,
        partNumber,
        serialNumber,
        lot,
        tags,
        createdBy: managerId,
      })
      .returning({ id: projects.id });
    const projectId = takeRow(rows).id;
    const imports: [StoredFile, Record<string, string>][] = [[files.volume, { kind: 'volume' }]];
    if (files.cad) imports.push([files.cad, { kind: 'cad', unit: 'mm' }]);
    if (files.radiographs) imports.push([files.radiographs, { kind: 'radiographs' }]);
    for (const [file, metadata] of imports) {
      const operationId = crypto.randomUUID();
      const written = await tx
        .insert(uploads)
        .values({
          projectId,
          fileName: file.fileName,
          mediaType: file.mediaType,
          metadata,
          sizeBytes: file.sizeBytes,
          offsetBytes: file.sizeBytes,
          status: 'completed',
          sha256: file.sha256,
          blobKey: file.blobKey,
          operationId,
          createdBy: managerId,
          completedAt: sql`now()`,
        })
        .returning({ id: uploads.id });
      const uploadId = takeRow(written).id;
      const operation = {
        id: operationId,
        projectId,
        organizationId,
        operation: 'ingest' as const,
        uploadId,
      };
      await requestWork(tx, 'operation', await insertRow(tx, operations, operation));
    }
    await writeState(tx, { ...state, made: { ...state.made, [part.key]: projectId } });
    await notify(tx, {
      type: 'created',
      resource: 'project',
      id: projectId,
      projectId,
      organizationId,
      workspaceId,
    });
    return true;
  });
}

/** Whether all imports of a project have ended, or all of its work. */
export async function hasEnded(db: Database, projectId: string, work: 'imports' | 'all'): Promise<boolean> {
  const isMeant = work === 'imports' ? eq(operations.operation, 'ingest') : undefined;
  const rows = await db
    .select({ finishedAt: operations.finishedAt })
    .from(operations)
    .where(and(eq(operations.projectId, projectId), isMeant));
  return rows.every(({ finishedAt }) => finishedAt !== null);
}

/** Requests the analyses of a part once, as a user would. */
export async function insertDemoAnalyses(db: Database, part: DemoPart, projectId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const state = await lockState(tx);
    if (state.analysed.includes(part.key)) return;
    const [project] = await tx.select().from(projects).where(eq(projects.id, projectId));
    if (project) {
      const [cad] = await tx
        .select({ id: dataObjects.id })
        .from(dataObjects)
        .where(and(eq(dataObjects.projectId, projectId), eq(dataObjects.kind, 'cad')));
      for (const { operation, parameters: own, againstCad } of part.analyses ?? []) {
        if (againstCad && !cad) continue;
        const parameters = againstCad ? { ...own, referenceDataObjectId: cad?.id } : own;
        const rows = await tx
          .insert(operations)
          .values({ projectId, organizationId: project.organizationId, operation, parameters })
          .returning();
        await requestWork(tx, 'operation', takeRow(rows));
      }
    }
    if (project && part.draft) await insertDemoRecipe(tx, project, part.draft, { status: 'draft' });
    if (project && part.recipe) await runDemoRecipe(tx, project, part.recipe);
    if (project && part.pipeline) await runDemoPipeline(tx, project, part.pipeline);
    await writeState(tx, { ...state, analysed: [...state.analysed, part.key] });
  });
}

/** Records the disposition of a part once, as a user would. */
export async function insertDemoDisposition(db: Database, part: DemoPart, projectId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const state = await lockState(tx);
    if (!part.disposition || !state.decided || state.decided.includes(part.key)) return;
    const [project] = await tx.select().from(projects).where(eq(projects.id, projectId));
    if (project) {
      // Not the start of the transaction: the measurements it is based on came before it.
      const now = sql`clock_timestamp()`;
      const decided = { ...part.disposition, projectId, createdBy: project.createdBy, createdAt: now };
      await tx.insert(dispositions).values(decided);
    }
    await writeState(tx, { ...state, decided: [...state.decided, part.key] });
  });
}

/** Creates and releases the recipe as a user would, and runs it on the project. */
async function runDemoRecipe(
  tx: Transaction,
  project: typeof projects.$inferSelect,
  described: NonNullable<DemoPart['recipe']>,
): Promise<void> {
  const released = { status: 'released' as const, releasedBy: project.createdBy, releasedAt: new Date() };
  const { recipeId, id, steps, gates } = await insertDemoRecipe(tx, project, described, released);
  const recipe = { recipeId, recipeVersionId: id };
  await createInvocation(tx, { project, steps, gates, recipe, createdBy: null });
}

/** Creates a recipe with its first version. */
async function insertDemoRecipe(
  tx: Transaction,
  { organizationId, createdBy }: typeof projects.$inferSelect,
  { name, description, steps, gates }: NonNullable<DemoPart['recipe']>,
  status: Pick<typeof recipeVersions.$inferInsert, 'status' | 'releasedBy' | 'releasedAt'>,
) {
  const recipe = await insertRow(tx, recipes, { organizationId, name, createdBy });
  const place = { recipeId: recipe.id, organizationId, version: 1, createdBy };
  const rows = await tx
    .insert(recipeVersions)
    .values({ ...place, name, description, steps: fillDefaults(steps), gates, ...status })
    .returning();
  return takeRow(rows);
}

/** Runs analyses and gates in one go, as the pipeline form sends them. */
async function runDemoPipeline(
  tx: Transaction,
  project: typeof projects.$inferSelect,
  { steps, gates }: DemoPipeline,
): Promise<void> {
  const operationId = crypto.randomUUID();
  const written = { steps: fillDefaults(steps), gates };
  const invocation = await createInvocation(tx, {
    project,
    ...written,
    recipe: null,
    createdBy: null,
    operationId,
  });
  await tx.insert(operations).values({
    id: operationId,
    projectId: project.id,
    organizationId: project.organizationId,
    operation: pipeline.key,
    parameters: written,
    invocationId: invocation.id,
  });
  await tx.update(projects).set({ latestOperationId: operationId }).where(eq(projects.id, project.id));
}
