/** What an operation of the interface is, as plain data. */
import type { z } from 'zod';
import type { WorkspaceRole } from '../shapes/organization.ts';
import type { ProblemCode } from '../shapes/problem-codes.ts';

/** Who may call it; `of` names the thing that the path or body points to. */
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
      /** the body names the thing, not the path */
      from?: 'body';
      /** also what lies in the trash */
      inTrash?: boolean;
    }
  /** `of` where the path names a part of the organization, not itself */
  | { kind: 'organization'; role: 'member' | 'manager'; of?: 'workspace' }
  /** `of` where the path names a thing that has to be the caller's */
  | { kind: 'own'; of?: 'bulkRequest' | 'export' | 'accessToken' | 'session' };

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface OperationDeclaration {
  /** group in the documentation */
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
  /** parameters in the style of the OpenAPI document: {project_id} */
  path: string;
  summary: string;
  access: Access;
  query?: z.ZodObject;
  body?: z.ZodType;
  /** the body may be left out altogether */
  bodyOptional?: boolean;
  /** bytes allowed in the body; 1 MiB by default */
  bodyLimit?: number;
  response: { status: 200 | 201 | 202 | 204; schema?: z.ZodType; mediaType?: string };
  /** calls of one user (of one address, where nobody is signed in) within the seconds */
  rateLimit?: { count: number; seconds: number };
  /** beyond those that follow from access, path, query and body; see `problemsOf` */
  problems?: readonly ProblemCode[];
  /** beyond the fixed interface */
  extension?: boolean;
  /** answers with an ETag, honours If-Match */
  etag?: boolean;
  /** answers a stream or speaks a protocol of its own; the binding leaves body and answer alone */
  raw?: boolean;
}

/** Answers pages of a list: of one moment, with an ETag. */
export const isList = ({ query }: OperationDeclaration): boolean =>
  query !== undefined && 'page' in query.shape;

/** As it stands in a table, whose operations have the tag in common. */
export type Untagged = Omit<OperationDeclaration, 'tag'>;
type Table = Record<string, Untagged>;
type Tag = OperationDeclaration['tag'];

const addCommon = <All extends object, Operations extends Table>(common: All, table: Operations) =>
  Object.fromEntries(
    Object.entries(table).map(([id, operation]) => [id, { ...common, ...operation }]),
  ) as unknown as { [Id in keyof Operations]: All & Operations[Id] };

/** Checks a table of declarations and keeps its literal types. */
export const declare = <const Operations extends Table>(tag: Tag, table: Operations) =>
  addCommon({ tag }, table);

/** The same of operations that are all beyond the fixed interface. */
export const declareExtensions = <const Operations extends Table>(tag: Tag, table: Operations) =>
  addCommon({ tag, extension: true }, table);

/** Names of the parameters in a path, as a type. */
export type ParameterOf<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | ParameterOf<Rest>
  : never;

/** Names of the parameters in a path. */
export const pathParameters = (path: string): string[] =>
  [...path.matchAll(/\{(\w+)\}/g)].flatMap(([, name]) => name ?? []);

/** Whether the schema, inside optional and default, asks for a UUID. */
function isId(schema: unknown): boolean {
  const { innerType, format } = (schema as { def: { innerType?: unknown; format?: string } }).def;
  return innerType === undefined ? format === 'guid' || format === 'uuid' : isId(innerType);
}

/**
 * What each operation can answer: to a query value that is no text, to a method that the path does not take, when the
 * service fails, and when it is too busy.
 */
export const problemsOfEach = ['VALIDATION_FAILED', 'METHOD_NOT_ALLOWED', 'INTERNAL', 'UNAVAILABLE'] as const;

/** Every problem that the operation can answer with. */
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
    // a page beyond the last
    if (isList(operation)) codes.add('NOT_FOUND');
  }
  if (operation.body) {
    for (const code of ['MALFORMED_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const)
      codes.add(code);
  }
  if (operation.access.kind !== 'public' && operation.access.kind !== 'signedAddress') {
    codes.add('NOT_AUTHENTICATED');
    // a token that may only read
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
