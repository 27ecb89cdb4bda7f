/** What a comparison can hold a part against, and what was made from the part itself. */
import { and, eq, ne, or, type SQL, sql } from 'drizzle-orm';
import { unionAll } from 'drizzle-orm/pg-core';
import { maxExactCount } from '#contract/shapes/page.ts';
import { accessibleProjects } from '../access/access.ts';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { byCreation, type Page, type PageRequest, readPage } from '../db/page.ts';
import { workspaceMembers } from '../db/schema-accounts.ts';
import { type DataObjectRow, dataObjects, modelText } from '../db/schema-data.ts';
import { projects } from '../db/schema-projects.ts';
import { hasGrams, indexedTextContains, textContains } from '../db/search-text.ts';

/**
 * What each data object goes back to: itself, what it was copied from, all that the operations worked on that made it (of
 * a determined surface that says nothing: a comparison determines those of both its scans),
 * the data object of these projects whose file was downloaded and uploaded again, and the bytes of the files that these
 * came from. By id; ids that are gone have none.
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

/** Those of some data objects that go back to the same scan or file as `id` does. */
export async function findOwn(db: Executor, id: string, others: readonly string[]): Promise<Set<string>> {
  const origins = await findOrigins(db, [id, ...others]);
  const own = origins.get(id) ?? new Set<string>();
  return new Set(others.filter((other) => [...(origins.get(other) ?? [])].some((each) => own.has(each))));
}

/** Who asks for a comparison, and where. */
export interface ReferencePlace {
  projectId: string;
  organizationId: string;
  /** null: his account is gone */
  userId: string | null;
}

/** A data object of the project, or a CAD model of another project of its organization that the user can see. */
export async function findReference(
  db: Executor,
  { projectId, organizationId, userId }: ReferencePlace,
  id: string,
): Promise<DataObjectRow | undefined> {
  const [row] = await db.select().from(dataObjects).where(eq(dataObjects.id, id));
  if (row?.projectId === projectId) return row;
  if (row?.kind !== 'cad' || userId === null) return undefined;
  const seen = (await accessibleProjects(db, userId, [row.projectId])).get(row.projectId);
  return seen?.organizationId === organizationId ? row : undefined;
}

const shown = {
  model: dataObjects,
  projectName: projects.name,
  partNumber: projects.partNumber,
};

/** Whether a CAD model's own texts hold it. */
const modelHolds = (text: string) =>
  sql`${modelText(dataObjects)} like ${`%${text.toLowerCase().replace(/[\\%_]/g, '\\$&')}%`}`;
const indexedModelHolds = (text: string) =>
  sql`${hasGrams(modelText(dataObjects), text.toLowerCase())} and ${modelHolds(text)}`;

/** CAD models of the organization's other projects that the user can see, the newest first: what `findReference` takes. */
export async function listForeignReferences(
  db: Executor,
  { projectId, organizationId, userId }: ReferencePlace & { userId: string },
  { search, id, ...page }: PageRequest & { search?: string | undefined; id?: string | undefined },
): Promise<Page<{ model: DataObjectRow; projectName: string; partNumber: string | null }>> {
  const where = and(
    // As the condition of the indexes of CAD models: the planner has to find it again.
    sql`${dataObjects.kind} = 'cad' and ${dataObjects.status} = 'completed'`,
    eq(projects.organizationId, organizationId),
    ne(projects.state, 'deleted'),
    ne(projects.id, projectId),
    id === undefined ? undefined : eq(dataObjects.id, id),
  );
  const text = search?.trim() ?? '';
  const isMember = and(
    eq(workspaceMembers.workspaceId, projects.workspaceId),
    eq(workspaceMembers.userId, userId),
  );
  const few = async () => {
    const those = (found: SQL) =>
      db
        .select({ id: dataObjects.id })
        .from(dataObjects)
        .innerJoin(projects, eq(projects.id, dataObjects.projectId))
        .innerJoin(workspaceMembers, isMember)
        .where(and(where, found));
    const ids = await unionAll(those(indexedTextContains(text)), those(indexedModelHolds(text))).limit(
      maxExactCount + 1,
    );
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
          : or(textContains(text), modelHolds(text)),
    ),
    order: byCreation(dataObjects),
    keyed: ({ model }) => model,
    // Whoever looks through the list for so many meets them soon; who counts them walks all of it.
    isMany: text !== '' && found === undefined,
  });
}
