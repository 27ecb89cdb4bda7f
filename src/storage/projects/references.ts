/** Finds references for comparisons, and excludes data made from the part itself. */
import { and, eq, ne, or, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { type ForeignReferenceKind, foreignReferenceKinds } from '#contract/shapes/data-object.ts';
import { maxExactCount } from '#contract/shapes/page.ts';
import { accessibleProjects } from '../access/access.ts';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { byCreation, type Page, type PageRequest, readPage } from '../db/page.ts';
import { workspaceMembers } from '../db/schema-accounts.ts';
import { canBeForeign, type DataObjectRow, dataObjects, dataText, narrowRow } from '../db/schema-data.ts';
import { projects } from '../db/schema-projects.ts';
import { hasGrams, indexedTextContains, textContains } from '../db/search-text.ts';

/**
 * The origins of each data object, by id: itself, its original if it is a copy, all inputs of the operations that made it
 * (except through surface determinations, because a comparison creates those of both its scans), the data object in these
 * projects whose file was downloaded and uploaded again, and the hashes of their source files. Unknown ids have none.
 */
async function findOrigins(db: Executor, ids: readonly string[]): Promise<Map<string, Set<string>>> {
  const { rows } = await db.execute<{ of: string; id: string; sha256: string | null }>(sql`
    with recursive origin(of, id) as (
      select id, id from data_objects where id = any(${sql.param([...ids])}::uuid[])
      union
      select origin.of, earlier.id from origin
        join data_objects d on d.id = origin.id
        cross join lateral (
          select d.copied_from_data_object_id as id where d.copied_from_data_object_id is not null
          union all
          select unnest(o.input_data_object_ids) from operations o
            where o.id = d.created_by_operation_id and d.kind <> 'surface'
          union all
          select made.id from data_objects made join data_object_files f on f.data_object_id = made.id
            where f.sha256 = d.metadata->>'sourceSha256' and made.project_id in
              (select project_id from data_objects where id = any(${sql.param([...ids])}::uuid[]))
        ) earlier
    )
    select origin.of, origin.id, d.metadata->>'sourceSha256' as sha256
    from origin left join data_objects d on d.id = origin.id`);
  const origins = new Map<string, Set<string>>();
  for (const { of, id, sha256 } of rows) {
    const known = origins.get(of) ?? new Set();
    origins.set(of, known.add(id));
    if (sha256 !== null) known.add(sha256);
  }
  return origins;
}

/** The ids among `others` that share an origin (scan or file) with `id`. */
export async function findOwn(db: Executor, id: string, others: readonly string[]): Promise<Set<string>> {
  const origins = await findOrigins(db, [id, ...others]);
  const own = origins.get(id) ?? new Set<string>();
  return new Set(others.filter((other) => [...(origins.get(other) ?? [])].some((each) => own.has(each))));
}

/** The project and user of a requested comparison. */
export interface ReferencePlace {
  projectId: string;
  organizationId: string;
  /** null: the account was deleted */
  userId: string | null;
}

/** A data object of the project, or a reference in another accessible project of its organization. */
export async function findReference(
  db: Executor,
  { projectId, organizationId, userId }: ReferencePlace,
  id: string,
): Promise<DataObjectRow | undefined> {
  const [row] = await db.select().from(dataObjects).where(eq(dataObjects.id, id));
  if (row?.projectId === projectId) return row;
  if (row === undefined || userId === null || !narrowRow(row, ...foreignReferenceKinds)) return undefined;
  const seen = (await accessibleProjects(db, userId, [row.projectId])).get(row.projectId);
  return seen?.organizationId === organizationId ? row : undefined;
}

interface ForeignReferencesRequest extends PageRequest {
  kind?: ForeignReferenceKind | undefined;
  search?: string | undefined;
  id?: string | undefined;
}

const shown = {
  dataObject: dataObjects,
  projectName: projects.name,
  partNumber: projects.partNumber,
};

/** Whether the data object's own name or file name contains the text. */
const nameHolds = (text: string) =>
  sql`${dataText(dataObjects)} like ${`%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`}`;
const indexedNameHolds = (text: string) =>
  sql`${hasGrams(dataText(dataObjects), text.toLowerCase())} and ${nameHolds(text)}`;

/** Lists the references that `findReference` accepts from other accessible projects of the organization, newest first. */
export async function listForeignReferences(
  db: Executor,
  { projectId, organizationId, userId }: ReferencePlace & { userId: string },
  { kind = 'cad', search, id, ...page }: ForeignReferencesRequest,
): Promise<Page<{ dataObject: DataObjectRow; projectName: string; partNumber: string | null }>> {
  const where = and(
    canBeForeign(dataObjects),
    eq(projects.organizationId, organizationId),
    ne(projects.state, 'deleted'),
    ne(projects.id, projectId),
    id === undefined ? eq(dataObjects.kind, kind) : eq(dataObjects.id, id),
  );
  const text = search?.trim() ?? '';
  const isMember = and(
    eq(workspaceMembers.workspaceId, projects.workspaceId),
    eq(workspaceMembers.userId, userId),
  );
  const few = async () => {
    const selectMatching = (found: SQL) =>
      db
        .select({ id: dataObjects.id })
        .from(dataObjects)
        .innerJoin(projects, eq(projects.id, dataObjects.projectId))
        .innerJoin(workspaceMembers, isMember)
        .where(and(where, found));
    const ids = await unionAll(
      selectMatching(indexedTextContains(text)),
      selectMatching(indexedNameHolds(text)),
    ).limit(maxExactCount + 1);
    return ids.length > maxExactCount ? undefined : ids.map((row) => row.id);
  };
  const found = text === '' ? undefined : await few();
  return readPage(db, page, {
    rows: () =>
      db
        .select(shown)
        .from(dataObjects)
        .innerJoin(projects, eq(projects.id, dataObjects.projectId))
        .innerJoin(workspaceMembers, isMember)
        .$dynamic(),
    where: and(
      where,
      found
        ? among(dataObjects.id, found)
        : text === ''
          ? undefined
          : or(textContains(text), nameHolds(text)),
    ),
    order: byCreation(dataObjects),
    keyed: ({ dataObject }) => dataObject,
    // With that many matches, walking the list finds a page quickly, whereas counting would read all of it.
    isMany: text !== '' && found === undefined,
  });
}
