/** The complete service with its own database, used through HTTP; for tests. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { FastifyInstance, InjectOptions } from 'fastify';
import pino from 'pino';
import type { Project } from '#contract/shapes/project.ts';
import type { BlobStore } from '#storage/blobs/blob-store.ts';
import { claimStore } from '#storage/claim-store.ts';
import { type Config, readConfig } from '#storage/config.ts';
import { openBlobStore } from '#storage/data-folder.ts';
import type { Database } from '#storage/db/connection.ts';
import { signingSecret } from '#storage/db/settings.ts';
import { testDatabase } from '#storage/testing/database.ts';
import { buildApp } from '../app.ts';
import { makeFirstAccount } from '../first-start.ts';
import { hashPassword, type PasswordCost, setPasswordCost } from '../http/passwords.ts';
import { AddressSigner } from '../http/signed-address.ts';

export interface Answer<Body = Record<string, unknown>> {
  status: number;
  body: Body;
  headers: Record<string, string | string[] | number | undefined>;
  text: string;
}

/** A page of projects, by number or by cursor. */
export interface ProjectPage {
  count: number;
  next: string | null;
  previous: string | null;
  nextCursor?: string;
  results: Project[];
}

interface AskOptions {
  token?: string;
  headers?: Record<string, string>;
}

export interface TestService {
  server: FastifyInstance;
  db: Database;
  blobs: BlobStore;
  config: Config;
  organizationId: string;
  workspaceId: string;
  /** token of the organization's manager, who is also editor of its workspace */
  token: string;
  email: string;
  /** lines logged as errors; every 500 logs one */
  errors: string[];
  /** lines logged as warnings */
  warnings: string[];
  ask<Body = Record<string, unknown>>(
    method: string,
    url: string,
    body?: unknown,
    options?: AskOptions,
  ): Promise<Answer<Body>>;
  /** creates a signed-in member of the organization with these roles */
  member(options?: {
    role?: 'viewer' | 'editor';
    isManager?: boolean;
  }): Promise<{ token: string; email: string; id: string }>;
  /** creates a signed-in manager of another organization */
  stranger(): Promise<{ token: string; organizationId: string; workspaceId: string }>;
  project(fields?: Record<string, unknown>): Promise<Project>;
  /** @param query query string without the question mark */
  listProjects(query: string, token?: string): Promise<Answer<ProjectPage>>;
  close(): Promise<void>;
}

export const password = 'correct horse battery';

/** The minimum cost of argon2, because passwords in tests protect nothing. */
export const cheapCost: PasswordCost = { memory: 8, passes: 1, parallelism: 1 };

/**
 * @param environment additional settings, as environment variables
 * @param connections maximum number of database connections
 */
export async function testService(
  environment: Record<string, string> = {},
  connections?: number,
): Promise<TestService> {
  setPasswordCost(cheapCost);
  const database = await testDatabase(connections);
  const dataDir = await mkdtemp(path.join(tmpdir(), 'scanwright-service-'));
  const config = readConfig({ DATA_DIR: dataDir, DATABASE_URL: database.url, ...environment });
  const { db } = database;
  const errors: string[] = [];
  const warnings: string[] = [];
  const write = (line: string) =>
    (JSON.parse(line).level >= pino.levels.values['error'] ? errors : warnings).push(line);
  const log = pino({ level: 'warn' }, { write });
  const email = 'manager@example.com';
  const first = await makeFirstAccount(db, {
    adminEmail: email,
    adminPassword: password,
    demo: config.demo,
  });
  if (!first) throw new Error('the database is not empty');
  const blobs = await openBlobStore(config);
  await claimStore(db, blobs, config);
  const addresses = new AddressSigner(await signingSecret(db));
  const { connection } = database;
  const server = await buildApp({
    config,
    connection,
    db,
    blobs,
    addresses,
    log,
    version: 'test',
  });
  await server.ready();

  async function ask<Body>(
    method: string,
    url: string,
    body?: unknown,
    options: AskOptions = {},
  ): Promise<Answer<Body>> {
    const isText = typeof body === 'string';
    const answer = await server.inject({
      method: method as InjectOptions['method'],
      url,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(options.token === undefined ? {} : { authorization: `Token ${options.token}` }),
        ...options.headers,
      },
      ...(body === undefined ? {} : { payload: isText ? body : JSON.stringify(body) }),
    });
    const isJson = String(answer.headers['content-type'] ?? '').startsWith('application/json');
    const parsed = (isJson && answer.body !== '' ? JSON.parse(answer.body) : {}) as Body;
    return { status: answer.statusCode, body: parsed, headers: answer.headers, text: answer.body };
  }
  async function signIn(who: string): Promise<string> {
    const { body } = await ask<{ token: string }>('POST', '/api/login', { email: who, password });
    return body.token;
  }
  const token = await signIn(email);
  const { organizationId, workspaceId } = first;
  let count = 0;
  return {
    server,
    db,
    blobs,
    config,
    organizationId,
    workspaceId,
    token,
    email,
    errors,
    warnings,
    ask,
    async member({ role, isManager = false } = {}) {
      count += 1;
      const address = `member${count}@example.com`;
      const workspaces = role ? [{ id: workspaceId, role }] : [];
      const url = `/api/v2/organizations/${organizationId}/members`;
      const made = await ask<{ id: string }>(
        'POST',
        url,
        { email: address, password, isManager, workspaces },
        { token },
      );
      return { token: await signIn(address), email: address, id: made.body.id };
    },
    async stranger() {
      count += 1;
      const address = `stranger${count}@example.com`;
      const made = await makeOrganization(db, address, `other-${count}`);
      return { token: await signIn(address), ...made };
    },
    async project(fields = {}) {
      count += 1;
      const input = { workspaceId, name: `Part ${count}`, ...fields };
      const { body, status, text } = await ask<Project>('POST', '/api/v2/projects', input, { token });
      if (status !== 201) throw new Error(text);
      return body;
    },
    listProjects: (query, as = token) => ask('GET', `/api/v2/projects?${query}`, undefined, { token: as }),
    async close() {
      await server.close();
      await blobs.close();
      await database.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

/** Creates another organization with its manager, as a second tenant. */
async function makeOrganization(db: Database, email: string, slug: string) {
  const { organizations, organizationMembers, users, workspaces, workspaceMembers } = await import(
    '#storage/db/schema-accounts.ts'
  );
  const passwordHash = await hashPassword(password);
  const [user] = await db.insert(users).values({ email, name: email, passwordHash }).returning();
  const [organization] = await db.insert(organizations).values({ name: slug, slug }).returning();
  const organizationId = organization.id;
  await db.insert(organizationMembers).values({ organizationId, userId: user.id, isManager: true });
  const [workspace] = await db.insert(workspaces).values({ organizationId, name: 'All' }).returning();
  await db.insert(workspaceMembers).values({ workspaceId: workspace.id, userId: user.id, role: 'editor' });
  return { organizationId, workspaceId: workspace.id };
}
