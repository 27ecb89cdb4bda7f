/**
 * Binds handlers to the operations of the contract. Everything the contract declares is enforced here, in one place:
 * authentication, ids, access, state, query, body, response shape, ETag, Idempotency-Key.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  findDeclaration,
  type OperationId,
  operationIds,
  type operations,
} from '#contract/operations/all.ts';
import {
  isList,
  type OperationDeclaration,
  type ParameterOf,
  pathParameters,
} from '#contract/operations/operation.ts';
import type { WorkspaceRole } from '#contract/shapes/organization.ts';
import type { PageQuery } from '#contract/shapes/page.ts';
import type { OrganizationAccess, ProjectAccess, WorkspaceAccess } from '#storage/access/access.ts';
import { type Database, inOneSnapshot } from '#storage/db/connection.ts';
import type { Page } from '#storage/db/page.ts';
import { accessIsInBody, authorize, type Target } from '../access/authorize.ts';
import { decodeQuery } from '../http/decode-query.ts';
import { etagMatches, makeEtag } from '../http/etag.ts';
import { once } from '../http/idempotency.ts';
import { type Envelope, makePage } from '../http/page.ts';
import { invalidField, Problem } from '../http/problem.ts';
import { countedAddress, reserveTry } from '../http/rate-limit.ts';
import { authenticate, type Caller } from '../http/session.ts';
import { isStorable } from '../http/text-body.ts';
import { parseInput } from '../http/validate.ts';

type Operations = typeof operations;
export type QueryOf<Id extends OperationId> = Operations[Id] extends { query: infer Q extends z.ZodType }
  ? z.output<Q>
  : undefined;
export type BodyOf<Id extends OperationId> = Operations[Id] extends { body: infer B extends z.ZodType }
  ? z.output<B>
  : undefined;
export type AnswerOf<Id extends OperationId> = Operations[Id] extends {
  response: { schema: infer S extends z.ZodType };
}
  ? z.input<S>
  : undefined;

export type ParamsOf<Id extends OperationId> = Record<ParameterOf<Operations[Id]['path']>, string>;

/** A validated request, as passed to a handler. */
export class Call<Id extends OperationId = OperationId> {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
  readonly params: ParamsOf<Id>;
  readonly query: QueryOf<Id>;
  readonly body: BodyOf<Id>;
  readonly #caller: Caller | undefined;
  readonly #target: Target;

  constructor(parts: {
    request: FastifyRequest;
    reply: FastifyReply;
    params: Record<string, string>;
    query: unknown;
    body: unknown;
    caller: Caller | undefined;
    target: Target;
  }) {
    this.request = parts.request;
    this.reply = parts.reply;
    this.params = parts.params as ParamsOf<Id>;
    this.query = parts.query as QueryOf<Id>;
    this.body = parts.body as BodyOf<Id>;
    this.#caller = parts.caller;
    this.#target = parts.target;
  }

  /** the first id in the path */
  get id(): string {
    return present(Object.values<string>(this.params)[0], 'thing by its id');
  }
  get caller(): Caller {
    return present(this.#caller, 'caller');
  }
  get project(): ProjectAccess {
    return present(this.#target.project, 'project');
  }
  get workspace(): WorkspaceAccess {
    return present(this.#target.workspace, 'workspace');
  }
  get organization(): OrganizationAccess {
    return present(this.#target.organization, 'organization');
  }
  get ifMatch(): string | undefined {
    return this.request.headers['if-match'];
  }
  setEtag(etag: string): void {
    this.reply.header('etag', etag);
  }
}

function present<T>(value: T | undefined, what: string): T {
  if (value === undefined) throw new Error(`the operation declares no access that names a ${what}`);
  return value;
}

type Answered<Answer> = [Answer] extends [undefined] ? Promise<void> : Promise<Answer>;
export type Handler<Id extends OperationId> = (call: Call<Id>) => Answered<AnswerOf<Id>>;
/** Ids of operations that return pages of a list. */
export type ListId = {
  [Id in OperationId]: AnswerOf<Id> extends { next: string | null; results: unknown[] } ? Id : never;
}[OperationId];
type ItemOf<Id extends ListId> = AnswerOf<Id> extends { results: (infer Item)[] } ? Item : never;
/** Fields of a page beyond its envelope, which concern all pages. */
type MoreOf<Id extends ListId> = Omit<AnswerOf<Id>, keyof Envelope<unknown>>;
/** Additional rule, checked between access and input, such as whether a module is enabled. */
export type Rule = (call: { caller: Caller; target: Target }) => Promise<void>;
/** Handler that writes the response itself; for operations declared as raw. */
export type RawHandler<Id extends OperationId> = (call: Call<Id>) => Promise<unknown>;

interface Checked {
  caller: Caller | undefined;
  params: Record<string, string>;
  target: Target;
}

/** Results of the checks made before the body is read, by request. */
const checked = new WeakMap<FastifyRequest, Checked>();
const textParameters = new Set(['fileName', 'signature']);

/** @throws Problem INVALID_UUID or NOT_FOUND */
function readParams(declaration: OperationDeclaration, raw: Record<string, string>): Record<string, string> {
  const params: Record<string, string> = {};
  for (const name of pathParameters(declaration.path)) {
    const text = raw[name] ?? '';
    if (!textParameters.has(name)) {
      if (!z.guid().safeParse(text).success) {
        throw new Problem('INVALID_UUID', `${name} is not a UUID`, {
          field: name,
          errors: [{ field: name, detail: 'is not a UUID', code: 'INVALID_UUID' }],
        });
      }
      params[name] = text.toLowerCase();
    } else {
      if (!isStorable(text)) throw invalidField(name, 'has an invalid character');
      params[name] = text;
    }
  }
  return params;
}

const isOpen = ({ access }: OperationDeclaration): boolean =>
  access.kind === 'public' || access.kind === 'signedAddress';

/** The path in Fastify's syntax. */
const formatRoute = ({ path }: OperationDeclaration): string => path.replaceAll(/\{(\w+)\}/g, ':$1');

export interface BinderOptions {
  app: FastifyInstance;
  db: Database;
}

export class Binder {
  readonly #app: FastifyInstance;
  readonly #db: Database;
  readonly #bound = new Set<OperationId>();

  constructor({ app, db }: BinderOptions) {
    this.#app = app;
    this.#db = db;
  }

  /** Binds an operation whose response has the contract's shape. */
  bind<Id extends OperationId>(id: Id, handler: Handler<Id>, rule?: Rule): void {
    const declaration = findDeclaration(id);
    this.#route(id, rule, async (request, reply) => {
      const call = await this.#call<Id>(declaration, request, reply);
      const make = (): Promise<string | undefined> => this.#make(declaration, handler, call);
      const text = declaration.problems?.includes('IDEMPOTENCY_MISMATCH')
        ? await once(this.#db, call, make)
        : await make();
      return text === undefined ? reply.send() : reply.type('application/json; charset=utf-8').send(text);
    });
  }

  /** Binds a list. `handler` reads from one snapshot, so that no result contradicts the filters. */
  bindList<Id extends ListId>(
    id: Id,
    handler: (call: Call<Id>) => Promise<Page<ItemOf<Id>> & MoreOf<Id>>,
  ): void {
    const declaration = findDeclaration(id);
    if (!isList(declaration)) throw new Error(`${id} is declared without pages`);
    this.#route(id, undefined, async (request, reply) => {
      const call = await this.#call<Id>(declaration, request, reply);
      const page = await inOneSnapshot(this.#db, () => handler(call));
      const answer = makePage(request, call.query as PageQuery, page);
      const text = checkedAnswer(declaration, answer);
      const etag = makeEtag(text);
      reply.header('etag', etag);
      if (etagMatches(request.headers['if-none-match'], etag)) return reply.code(304).send();
      return reply.type('application/json; charset=utf-8').send(text);
    });
  }

  /** Binds an operation that returns a stream or uses another protocol. */
  bindRaw<Id extends OperationId>(id: Id, handler: RawHandler<Id>): void {
    const declaration = findDeclaration(id);
    this.#route(id, undefined, async (request, reply) => {
      await handler(await this.#call<Id>(declaration, request, reply));
      return reply;
    });
  }

  /** Binds a further method of a protocol, on the path of one of the contract's operations. */
  bindProtocol<Id extends OperationId>(
    method: 'HEAD' | 'PATCH' | 'DELETE',
    id: Id,
    role: WorkspaceRole,
    handler: RawHandler<Id>,
  ): void {
    const declaration: OperationDeclaration = { ...findDeclaration(id), method: 'PATCH' };
    if (declaration.access.kind === 'workspace') declaration.access = { ...declaration.access, role };
    this.#app.route({
      method,
      url: formatRoute(declaration),
      config: { operationId: id },
      onRequest: (request) => this.#checkBeforeBody(declaration, undefined, request, method),
      handler: async (request, reply) => {
        await handler(await this.#call<Id>(declaration, request, reply));
        return reply;
      },
    });
  }

  /** Registers work to run once before the service accepts requests. */
  onReady(work: () => Promise<void>): void {
    this.#app.addHook('onReady', work);
  }

  /** Registers work to run on shutdown, before the service waits for open responses. */
  onEnding(work: () => Promise<void>): void {
    this.#app.addHook('preClose', work);
  }

  /** @throws Error when an operation of the contract has no handler */
  requireAll(): void {
    const missing = operationIds.filter((id) => !this.#bound.has(id));
    if (missing.length > 0) throw new Error(`no handler is bound to ${missing.join(', ')}`);
  }

  #route(
    id: OperationId,
    rule: Rule | undefined,
    handler: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
  ): void {
    if (this.#bound.has(id)) throw new Error(`${id} is bound twice`);
    this.#bound.add(id);
    const declaration = findDeclaration(id);
    this.#app.route({
      // Streams don't need HEAD; files answer it themselves with their size, which the framework would set to 0.
      method: declaration.access.kind === 'signedAddress' ? ['GET', 'HEAD'] : declaration.method,
      exposeHeadRoute: !declaration.raw,
      url: formatRoute(declaration),
      ...(declaration.bodyLimit === undefined ? {} : { bodyLimit: declaration.bodyLimit }),
      config: { operationId: id },
      // Compression would buffer streams, and byte ranges refer to the uncompressed file.
      ...(declaration.raw ? { compress: false } : {}),
      // Checked before the body is read, so that refused requests cost nothing.
      onRequest: (request) => this.#checkBeforeBody(declaration, rule, request, declaration.method),
      handler,
    });
  }

  async #checkBeforeBody(
    declaration: OperationDeclaration,
    rule: Rule | undefined,
    request: FastifyRequest,
    method: string,
  ): Promise<void> {
    const caller = isOpen(declaration)
      ? undefined
      : await authenticate(this.#db, request.headers.authorization, request.ip);
    const params = readParams(declaration, request.params as Record<string, string>);
    let target: Target = {};
    if (caller !== undefined && !accessIsInBody(declaration)) {
      target = await authorize(this.#db, caller.userId, declaration, Object.values(params)[0], {});
      await rule?.({ caller, target });
    }
    if (caller?.readOnly && method !== 'GET' && method !== 'HEAD')
      throw new Problem('PERMISSION_DENIED', 'this access token is read-only');
    const { rateLimit } = declaration;
    if (rateLimit !== undefined) {
      const who = caller?.userId ?? countedAddress(request.ip);
      await reserveTry(this.#db, [
        { key: `${request.routeOptions.config.operationId} ${who}`, ...rateLimit },
      ]);
    }
    checked.set(request, { caller, params, target });
  }

  async #call<Id extends OperationId>(
    declaration: OperationDeclaration,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Call<Id>> {
    const before = checked.get(request);
    if (before === undefined) throw new Error('the checks before the body were left out');
    const raw = request.query as Record<string, unknown>;
    const decoded = decodeQuery(declaration.query, raw);
    const query = declaration.query ? parseInput(declaration.query, decoded, 'query') : undefined;
    const body = declaration.body && !declaration.raw ? readBody(declaration, request.body) : undefined;
    let { target } = before;
    if (before.caller !== undefined && accessIsInBody(declaration)) {
      target = await authorize(
        this.#db,
        before.caller.userId,
        declaration,
        undefined,
        body as Record<string, unknown>,
      );
    }
    return new Call<Id>({ ...before, request, reply, query, body, target });
  }

  /** Runs the handler, sets the status, and returns the response text, validated against the contract. */
  async #make<Id extends OperationId>(
    declaration: OperationDeclaration,
    handler: Handler<Id>,
    call: Call<Id>,
  ): Promise<string | undefined> {
    const output: unknown = await handler(call);
    const { status, schema } = declaration.response;
    call.reply.code(status);
    return schema && checkedAnswer(declaration, output);
  }
}

function checkedAnswer({ response: { schema } }: OperationDeclaration, output: unknown): string {
  const parsed = (schema as z.ZodType).safeParse(output);
  if (!parsed.success)
    throw new Error(`the answer does not have the shape that the contract promises: ${parsed.error.message}`);
  return JSON.stringify(parsed.data);
}

function readBody(declaration: OperationDeclaration, body: unknown): unknown {
  const schema = declaration.body as z.ZodType;
  if (body === undefined || body === null) {
    if (declaration.bodyOptional) return parseInput(schema, {}, 'body');
    throw new Problem('VALIDATION_FAILED', 'a JSON body is required', {
      field: 'body',
      errors: [{ field: 'body', detail: 'is missing', code: 'VALIDATION_FAILED' }],
    });
  }
  return parseInput(schema, body, 'body');
}
