/** Measurements in the database. */
import { and, arrayContains, eq, inArray, sql } from 'drizzle-orm';
import type { Measurement, MeasurementInput, MeasurementPatch } from '#contract/shapes/measurement.ts';
import { relationKinds } from '#contract/shapes/measurement.ts';
import { author, authorMembership } from '#storage/access/accounts.ts';
import type { Executor, Transaction } from '#storage/db/connection.ts';
import { byCreation, mapPage, type Page, type PageRequest, readPage } from '#storage/db/page.ts';
import { organizationMembers, users } from '#storage/db/schema-accounts.ts';
import { measurements } from '#storage/db/schema-collaboration.ts';
import { type DataObjectRow, dataObjects } from '#storage/db/schema-data.ts';
import { projects } from '#storage/db/schema-projects.ts';
import { takeRow } from '#storage/db/take-row.ts';
import { invalidField, notFound, Problem } from '../../http/problem.ts';
import { computeResult, type MeasuredPoints, relateFeatures } from './compute.ts';

type MeasurementRow = typeof measurements.$inferSelect;

const rows = (db: Executor) =>
  db
    .select({ row: measurements, author })
    .from(measurements)
    .innerJoin(projects, eq(projects.id, measurements.projectId))
    .leftJoin(users, eq(users.id, measurements.createdBy))
    .leftJoin(organizationMembers, authorMembership)
    .$dynamic();

const measurementShape = ({
  row,
  author,
}: {
  row: MeasurementRow;
  author: Measurement['author'];
}): Measurement => {
  const { createdBy: _, ...shape } = row;
  return {
    ...shape,
    author,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
};

/** Measurements, oldest first. */
export const listMeasurements = (
  db: Executor,
  projectId: string,
  page: PageRequest,
): Promise<Page<Measurement>> =>
  mapPage(
    readPage(db, page, {
      rows: () => rows(db),
      where: eq(measurements.projectId, projectId),
      order: byCreation(measurements, { isDescending: false }),
      keyed: ({ row }) => row,
    }),
    (found) => found.map(measurementShape),
  );

export async function readMeasurement(db: Executor, id: string): Promise<Measurement> {
  const [found] = await rows(db).where(eq(measurements.id, id));
  if (!found) throw notFound('measurement');
  return measurementShape(found);
}

/** @throws Problem NOT_FOUND naming the field, also for a data object of another project */
async function readDataObject(
  tx: Transaction,
  projectId: string,
  id: string,
  field: string,
): Promise<DataObjectRow> {
  const [row] = await tx
    .select()
    .from(dataObjects)
    .where(and(eq(dataObjects.id, id), eq(dataObjects.projectId, projectId)));
  if (!row) throw notFound('data object', field);
  return row;
}

type Changes = Pick<
  MeasurementRow,
  'kind' | 'points' | 'placement' | 'featureIds' | 'dataObjectId' | 'surfaceId'
>;

async function readPoints(tx: Transaction, projectId: string, row: Changes): Promise<MeasuredPoints> {
  const { kind, points, placement, dataObjectId, surfaceId } = row;
  const dataObject = await readDataObject(tx, projectId, dataObjectId, 'dataObjectId');
  const surface = surfaceId === null ? null : await readDataObject(tx, projectId, surfaceId, 'surfaceId');
  return { kind, points, placement, dataObject, surfaceName: surface?.name ?? null };
}

const isRelation = (kind: string): boolean => (relationKinds as readonly string[]).includes(kind);

/** @throws Problem VALIDATION_FAILED, NOT_FOUND */
async function compute(tx: Transaction, projectId: string, row: Changes): Promise<MeasurementRow['result']> {
  const measured = await readPoints(tx, projectId, row);
  if (!isRelation(row.kind)) {
    if (row.featureIds.length > 0)
      throw invalidField('featureIds', `a ${row.kind} is measured from its points; leave the list empty`);
    return computeResult(measured);
  }
  if (row.points.length > 0)
    throw invalidField('points', 'a relation is measured between two features; leave the list empty');
  if (new Set(row.featureIds).size !== 2)
    throw invalidField('featureIds', 'two different features of this project are needed');
  const found = await tx
    .select()
    .from(measurements)
    .where(and(eq(measurements.projectId, projectId), inArray(measurements.id, row.featureIds)));
  const features = await Promise.all(
    row.featureIds.map(async (id) => {
      const feature = found.find((each) => each.id === id);
      if (!feature) throw notFound('measurement', 'featureIds');
      return readPoints(tx, projectId, feature);
    }),
  );
  const [one, other] = features;
  if (!one || !other) throw notFound('measurement', 'featureIds');
  return relateFeatures(measured, one, other);
}

/** @returns its id */
export async function insertMeasurement(
  tx: Transaction,
  projectId: string,
  createdBy: string,
  input: MeasurementInput,
): Promise<string> {
  const values = {
    ...input,
    dataObjectId: input.dataObjectId.toLowerCase(),
    featureIds: input.featureIds.map((id) => id.toLowerCase()),
  };
  const result = await compute(tx, projectId, values);
  const made = await tx
    .insert(measurements)
    .values({ ...values, projectId, createdBy, result })
    .returning({ id: measurements.id });
  return takeRow(made).id;
}

const dependents = (tx: Transaction, id: string) =>
  tx
    .select()
    .from(measurements)
    .where(arrayContains(measurements.featureIds, [id]));

/** Changes a measurement; new points recompute its values and those of measurements that depend on it. */
export async function patchMeasurement(tx: Transaction, id: string, patch: MeasurementPatch): Promise<void> {
  const [row] = await tx.select().from(measurements).where(eq(measurements.id, id)).for('update');
  if (!row) throw notFound('measurement');
  const changed = { ...row, ...patch };
  const result = await compute(tx, row.projectId, changed);
  const { name, points, placement, surfaceId } = changed;
  const updatedAt = sql`now()`;
  await tx
    .update(measurements)
    .set({ name, points, placement, surfaceId, result, updatedAt })
    .where(eq(measurements.id, id));
  for (const dependent of await dependents(tx, id)) {
    const follows = await compute(tx, row.projectId, dependent);
    await tx
      .update(measurements)
      .set({ result: follows, updatedAt })
      .where(eq(measurements.id, dependent.id));
  }
}

/** @throws Problem CONFLICT naming a measurement that depends on it */
export async function deleteMeasurement(tx: Transaction, id: string): Promise<void> {
  const [dependent] = await dependents(tx, id);
  if (dependent) throw new Problem('CONFLICT', `“${dependent.name}” is measured from it; delete that first`);
  await tx.delete(measurements).where(eq(measurements.id, id));
}
