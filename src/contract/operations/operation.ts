/** Declaration of an operation of the interface, as plain data. */
import type { z } from 'zod';
import type { WorkspaceRole } from '../shapes/organization.ts';
import type { ProblemCode } from '../shapes/problem-codes.ts';

/** Who may call it; `of` is the type of the resource that the path or body identifies. */
export type Access =
  | { kind: 'public' }
  | { kind: 'signedIn' }
  | { kind: 'signedAddress' }
  | {
      kind: 'workspace';
      role: WorkspaceRole;
      of:
        | 'project'
        | 'dataObject'
        | 'operation'
        | 'invocation'
        | 'bookmark'
        | 'measurement'
        | 'upload'
        | 'workspace'
        | 'eachProject';
      /** the resource id is in the body, not in the path */
      from?: 'body';
      /** also projects in the trash */
      inTrash?: boolean;
    }
  /** `of` when the path identifies a part of the organization instead of the organization itself */
  | { kind: 'organization'; role: 'member' | 'manager'; of?: 'workspace' }
  /** `of` when the path identifies a resource that must belong to the caller */
  | { kind: 'own'; of?: 'bulkRequest' | 'export' | 'accessToken' | 'session' };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface OperationDeclaration {
  /** section in the documentation */
  tag:
    | 'Authentication'
    | 'Projects'
    | 'Analyses'
    | 'Recipes'
    | 'Data and exports'
    | 'Bulk'
    | 'Bookmarks'
    | 'Measurements'
    | 'Organizations'
    | 'Service';
  method: Method;
  /** with parameters as in OpenAPI: {project_id} */
  path: string;
  summary: string;
  access: Access;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** the body may be omitted */
  bodyOptional?: boolean;
  /** bytes allowed in the body; 1 MiB by default */
  bodyLimit?: number;
  response: { status: 200 | 201 | 202 | 204; schema?: z.ZodType; mediaType?: string };
  /** maximum number of calls per user, or per address without sign-in, within that many seconds */
  rateLimit?: { count: number; seconds: number };
  /** in addition to those implied by access, path, query and body; see `listProblems` */
  problems?: readonly ProblemCode[];
  /** beyond the fixed interface */
  extension?: boolean;
  /** returns an ETag and honours If-Match */
  etag?: boolean;
  /** streams, or uses another protocol; the binding handles neither body nor response */
  raw?: boolean;
}

/** Whether the operation returns a page of a list: a consistent snapshot with an ETag. */
export const isList = ({ query }: OperationDeclaration): boolean =>
  query !== undefined && 'page' in query.shape;

/** A declaration in a table whose operations share a tag. */
export type Untagged = Omit<OperationDeclaration, 'tag' | 'method' | 'path'> & {
  /** method and path, such as `GET /api/v2/data/{id}` */
  route: `${Method} /${string}`;
};
type Table = Record<string, Untagged>;
type Tag = OperationDeclaration['tag'];
type Declared<Common, Operation extends Untagged> = Common &
  Operation &
  (Operation['route'] extends `${infer Verb extends Method} ${infer Path}`
    ? { method: Verb; path: Path }
    : { method: Method; path: string });

const addCommon = <Common extends object, Operations extends Table>(common: Common, table: Operations) =>
  Object.fromEntries(
    Object.entries(table).map(([id, operation]) => {
      const [method, path] = operation.route.split(' ');
      return [id, { ...common, ...operation, method, path }];
    }),
  ) as unknown as { [Id in keyof Operations]: Declared<Common, Operations[Id]> };

/** Type-checks a table of declarations and keeps its literal types. */
export const declare = <const Operations extends Table>(tag: Tag, table: Operations) =>
  addCommon({ tag }, table);

/** Like `declare`, for operations that are all extensions of the fixed interface. */
export const declareExtensions = <const Operations extends Table>(tag: Tag, table: Operations) =>
  addCommon({ tag, extension: true }, table);

export type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** Names of the parameters in a path. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

/** Whether the schema, unwrapped from optional and default, is a UUID. */
function isId(schema: unknown): boolean {
  const { innerType, format } = (schema as { def: { innerType?: unknown; format?: string } }).def;
  return innerType === undefined ? format === 'guid' || format === 'uuid' : isId(innerType);
}

/**
 * Problems that every operation can return: for an invalid query value, for an unsupported method, when the service fails,
 * and when it is overloaded.
 */
export const problemsOfEach = ['VALIDATION_FAILED', 'METHOD_NOT_ALLOWED', 'INTERNAL', 'UNAVAILABLE'] as const;

/** All problems that the operation can return. */
export function listProblems(operation: OperationDeclaration): ProblemCode[] {
  const codes = new Set<ProblemCode>(problemsOfEach);
  for (const code of operation.problems ?? []) codes.add(code);
  if (operation.rateLimit) codes.add('RATE_LIMITED');
  const parameters = pathParameters(operation.path);
  if (parameters.length > 0) {
    codes.add('NOT_FOUND');
    if (operation.access.kind !== 'signedAddress') codes.add('INVALID_UUID');
  }
  if (operation.query) {
    if (Object.values(operation.query.shape).some(isId)) codes.add('INVALID_UUID');
    // for a page beyond the last
    if (isList(operation)) codes.add('NOT_FOUND');
  }
  if (operation.body) {
    for (const code of ['MALFORMED_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)
      codes.add(code);
  }
  if (operation.access.kind !== 'public' && operation.access.kind !== 'signedAddress') {
    codes.add('NOT_AUTHENTICATED');
    // for a read-only token
    if (operation.method !== 'GET') codes.add('PERMISSION_DENIED');
  }
  if (operation.access.kind === 'organization' && operation.access.role === 'manager')
    codes.add('PERMISSION_DENIED');
  if (operation.access.kind === 'workspace') {
    codes.add('NOT_FOUND');
    if (operation.access.role === 'editor') codes.add('PERMISSION_DENIED');
  }
  return [...codes].sort();
}
