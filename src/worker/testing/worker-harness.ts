/** A worker with its own database and folder, and one project. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { and, eq, isNotNull, notInArray, sql } from 'drizzle-orm';
import pino from 'pino';
import { type DataObjectKind, sharedDataKinds } from '#contract/analyses/data-kinds.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import { type Config, readConfig } from '#storage/config.ts';
import { openBlobStore, uploadFile, uploadFolder } from '#storage/data-folder.ts';
import { type Database, inTransaction } from '#storage/db/connection.ts';
import { type Subscription, subscribe } from '#storage/db/events.ts';
import { organizations, users, workspaces } from '#storage/db/schema-accounts.ts';
import {
  type DataObjectRow,
  dataObjectFiles,
  dataObjects,
  narrowRow,
  type RowOfKind,
} from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { operations, uploads, workQueue } from '#storage/db/schema-work.ts';
import { projectTexts } from '#storage/db/search-text.ts';
import { type TestDatabase, testDatabase } from '#storage/testing/database.ts';
import { requestWork } from '#storage/work/life.ts';
import { startThreadPool, type ThreadPool } from '../threads/pool.ts';
import { type RunningWorker, startWorker, type WorkerOptions } from '../worker.ts';

type OperationRow = typeof operations.$inferSelect;

export interface WorkerHarness {
  database: TestDatabase;
  db: Database;
  store: BlobStore;
  config: Config;
  userId: string;
  organizationId: string;
  projectId: string;
  /** in this process; undefined until started */
  worker: RunningWorker | undefined;
  /** Without `processes` all work runs here, on threads shared by all tests of the file. */
  startWorker(processes?: Pick<WorkerOptions, 'script' | 'limits'>): Promise<RunningWorker>;
  stopWorker(): Promise<void>;
  /** A worker in its own process, to be killed; at the latest when the harness closes. */
  spawnWorker(): ChildProcess;
  /**
   * Kills a spawned worker with its work processes, so that none of them finishes its work; the work it held counts as
   * lost at once instead of after missing heartbeats.
   */
  killWorker(child: ChildProcess): Promise<void>;
  newProject(name: string): Promise<string>;
  /** Puts a finished upload into the upload folder and requests its import. */
  upload(
    fileName: string,
    bytes: Uint8Array,
    metadata?: Record<string, string>,
    projectId?: string,
  ): Promise<string>;
  request(operation: string, parameters?: Record<string, unknown>, projectId?: string): Promise<string>;
  /** Resolves when `check` is true, which is evaluated after each event; fails by the test's timeout. */
  until(check: () => Promise<boolean>): Promise<void>;
  read(operationId: string): Promise<OperationRow>;
  /** Resolves with the row of the ended operation. */
  ended(operationId: string): Promise<OperationRow>;
  outputs(operationId: string): Promise<DataObjectRow[]>;
  /** Its output of this kind. @throws Error when it has none */
  output<Kind extends DataObjectKind>(operationId: string, kind: Kind): Promise<RowOfKind<Kind>>;
  files(dataObjectId: string): Promise<(typeof dataObjectFiles.$inferSelect)[]>;
  close(): Promise<void>;
}

function killGroup({ pid, exitCode, signalCode }: ChildProcess): void {
  if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, 'SIGKILL');
}

/** @param environment additional environment variables */
export async function openWorkerHarness(environment: Record<string, string> = {}): Promise<WorkerHarness> {
  const database = await testDatabase();
  const { db } = database;
  const dataDir = await mkdtemp(path.join(tmpdir(), 'scanwright-worker-'));
  const config = readConfig({
    DATA_DIR: dataDir,
    DEMO: '0',
    WORKERS: '2',
    LOG_LEVEL: 'silent',
    ...environment,
  });
  const store = await openBlobStore(config);
  await mkdir(uploadFolder(config), { recursive: true });
  const [{ id: userId }] = await db
    .insert(users)
    .values({ email: 'engineer@example.com', name: 'Engineer' })
    .returning();
  const [{ id: organizationId }] = await db
    .insert(organizations)
    .values({ name: 'Lab', slug: 'lab' })
    .returning();
  const [{ id: workspaceId }] = await db
    .insert(workspaces)
    .values({ organizationId, name: 'All' })
    .returning();
  const newProject = async (name: string) => {
    const values = { organizationId, workspaceId, ...projectTexts({ name }) };
    return (await db.insert(projects).values(values).returning())[0].id;
  };
  const projectId = await newProject('Part');
  const listeners = new Set<() => void>();
  const subscription: Subscription = await subscribe(database.url, {
    onEvent: () => {
      for (const listener of listeners) listener();
    },
  });
  let pool: ThreadPool | undefined;
  const children: ChildProcess[] = [];

  const harness: WorkerHarness = {
    database,
    db,
    store,
    config,
    userId,
    organizationId,
    projectId,
    worker: undefined,
    newProject,
    async startWorker(processes) {
      if (!processes) pool ??= await startThreadPool({ threads: 2, module: await kernelModule() });
      const log = pino({ level: process.env['TEST_LOG'] ?? 'silent' });
      const options = { config, databaseUrl: database.url, log, version: '0.0.0-test' };
      harness.worker = await startWorker({ ...options, ...(processes ?? { pool }) });
      return harness.worker;
    },
    async stopWorker() {
      await harness.worker?.stop();
      harness.worker = undefined;
    },
    spawnWorker() {
      const drizzle = new URL('../../drizzle-as-commonjs.ts', import.meta.url).href;
      const main = fileURLToPath(new URL('../main.ts', import.meta.url));
      const child = spawn(process.execPath, ['--import', drizzle, main], {
        env: {
          PATH: process.env['PATH'],
          NODE_COMPILE_CACHE: process.env['NODE_COMPILE_CACHE'],
          DATABASE_URL: database.url,
          DATA_DIR: dataDir,
          DEMO: '0',
          LOG_LEVEL: 'error',
        },
        stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
        // In its own process group, together with the processes it starts.
        detached: true,
      });
      children.push(child);
      return child;
    },
    async killWorker(child) {
      killGroup(child);
      await once(child, 'exit');
      await db
        .update(workQueue)
        .set({ beatAt: new Date(0) })
        .where(isNotNull(workQueue.workerId));
    },
    async upload(fileName, bytes, metadata = {}, into = projectId) {
      const operationId = crypto.randomUUID();
      const uploadId = crypto.randomUUID();
      await writeFile(uploadFile(config, uploadId), bytes);
      await inTransaction(db, async (tx) => {
        await tx.insert(uploads).values({
          id: uploadId,
          projectId: into,
          fileName,
          metadata,
          sizeBytes: bytes.length,
          offsetBytes: bytes.length,
          status: 'completed',
          operationId,
          createdBy: userId,
        });
        const values = { id: operationId, projectId: into, organizationId, uploadId, createdBy: userId };
        const [row] = await tx
          .insert(operations)
          .values({ ...values, operation: 'ingest' })
          .returning();
        await requestWork(tx, 'operation', row);
      });
      return operationId;
    },
    async request(operation, parameters = {}, into = projectId) {
      return inTransaction(db, async (tx) => {
        const [row] = await tx
          .insert(operations)
          .values({ projectId: into, organizationId, operation, parameters, createdBy: userId })
          .returning();
        await requestWork(tx, 'operation', row);
        return row.id;
      });
    },
    async until(check) {
      for (;;) {
        const { promise, resolve } = Promise.withResolvers<void>();
        listeners.add(resolve);
        try {
          if (await check()) return;
          await promise;
        } finally {
          listeners.delete(resolve);
        }
      }
    },
    read: async (operationId) =>
      (await db.select().from(operations).where(eq(operations.id, operationId)))[0],
    async ended(operationId) {
      await harness.until(async () => (await harness.read(operationId)).finishedAt !== null);
      return harness.read(operationId);
    },
    outputs: (operationId) =>
      db
        .select()
        .from(dataObjects)
        .where(
          and(
            eq(dataObjects.createdByOperationId, operationId),
            notInArray(dataObjects.kind, sharedDataKinds),
          ),
        )
        .orderBy(sql`kind`),
    async output(operationId, kind) {
      const rows = await harness.outputs(operationId);
      const [row] = rows.flatMap((each) => narrowRow(each, kind) ?? []);
      if (!row) throw new Error(`there is no ${kind} among ${rows.map((each) => each.kind).join(', ')}`);
      return row;
    },
    files: (dataObjectId) =>
      db
        .select()
        .from(dataObjectFiles)
        .where(eq(dataObjectFiles.dataObjectId, dataObjectId))
        .orderBy(dataObjectFiles.fileName),
    async close() {
      for (const child of children) killGroup(child);
      await harness.stopWorker();
      await pool?.close();
      await subscription.close();
      await store.close();
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
  return harness;
}
