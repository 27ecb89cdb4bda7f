import { and, eq } from 'drizzle-orm';
import type { AnalysisContext, ResultObject } from '#analyses/analysis.ts';
import { runAnalysis } from '#analyses/registry.ts';
import { readVerdict } from '#contract/analyses/data-kinds.ts';
import { getStep, isStepKind } from '#contract/analyses/steps.ts';
import type { Provenance } from '#contract/shapes/operation.ts';
import type { Executor } from '#storage/db/connection.ts';
import { type DataObjectRow, dataObjectFiles, dataObjects } from '#storage/db/schema-data.ts';
import { chooseInputs, type InputChoice } from '#storage/projects/choose-inputs.ts';
import { findOwn, findReference } from '#storage/projects/references.ts';
import { describeIssue } from '../describe-issue.ts';
import type { NewDataObject, WorkResult } from '../results/write-results.ts';
import { readScanQuality } from '../scan-quality.ts';
import { openStoredMesh } from '../stored-mesh.ts';
import { openStoredRadiographs } from '../stored-radiographs.ts';
import { openStoredVolume } from '../stored-volume.ts';
import { openVolumeSink, type StoredVolumeSink } from '../volume-sink.ts';
import { WorkFailure } from '../work/describe-failure.ts';
import type { OperationWork } from '../work/work.ts';
import type { WorkBlobs } from '../work/work-blobs.ts';
import { openSharedSurfaces } from './shared-surfaces.ts';
import { storeFiles } from './store-files.ts';

/** Share of the progress for computing; the rest is writing the results. */
const COMPUTING = 0.96;

/**
 * Runs a registered analysis on the data object named in its parameters, or on the newest suitable one.
 *
 * @throws WorkFailure, KernelError when the result cannot be computed; the reason of the run's signal
 */
export async function runAnalysisOperation(work: OperationWork): Promise<WorkResult> {
  const { row: operation, context, run, blobs } = work;
  const kind = operation.operation;
  if (!isStepKind(kind)) throw new Error(`${kind} is no analysis of this version`);
  const analysis = getStep(kind);
  const parsed = analysis.parameters.safeParse(operation.parameters);
  if (!parsed.success) {
    throw new WorkFailure(
      'VALIDATION_FAILED',
      `The parameters can't be used: ${describeIssue(parsed.error, 'parameters')}`,
    );
  }
  const parameters = parsed.data;
  const referenceDataObjectId =
    'referenceDataObjectId' in parameters ? parameters.referenceDataObjectId : undefined;
  const source = await readSource(context.db, operation.projectId, analysis, {
    sourceDataObjectId: parameters.sourceDataObjectId ?? operation.inputDataObjectIds[0],
    referenceDataObjectId,
  });
  const reference =
    referenceDataObjectId === undefined
      ? undefined
      : await readReference(context.db, operation, referenceDataObjectId);
  const used = new Map([source, ...(reference ? [reference] : [])].map((row) => [row.id, row]));
  const readRow = async (id: string) => {
    const row = used.get(id) ?? (await readDataObject(context.db, operation.projectId, id));
    used.set(id, row);
    return row;
  };
  const sinks: StoredVolumeSink[] = [];
  const surfaces = openSharedSurfaces(work, readRow);
  const analysisContext: Omit<AnalysisContext, 'doubts' | 'judged'> = {
    pool: context.pool,
    signal: run.signal,
    progress: (fraction, stage) => run.report(fraction * COMPUTING, stage),
    volume: async (id) => openStoredVolume(context.store, await readRow(id)),
    part: async (id, deflectionMm) => {
      const row = await readRow(id);
      if (row.volumeKey) return { volume: await openStoredVolume(context.store, row) };
      return openStoredMesh(context, row, { deflectionMm, signal: run.signal });
    },
    surface: surfaces.surface,
    radiographs: async (id) => openStoredRadiographs(context, await readRow(id)),
    quality: async (id) => readScanQuality(context, used.get(id) ?? (await readRow(id)), run.signal),
    newVolume: async (grid, dataType) => {
      const sink = await openVolumeSink(work, grid, dataType);
      sinks.push(sink);
      return sink;
    },
  };
  const inputsOfKind = {
    sourceDataObjectId: source.id,
    referenceDataObjectId,
    ...(reference ? { referenceKind: reference.kind } : {}),
    isSelfCheck: reference !== undefined && (await findOwn(context.db, source.id, [reference.id])).size > 0,
  };
  const {
    dataObjects: made,
    warnings,
    algorithms,
  } = await runAnalysis(kind, parameters, inputsOfKind, analysisContext).catch(async (error: unknown) => {
    for (const sink of sinks) await sink.discard();
    throw error;
  });
  run.report(COMPUTING, 'Writing the results');
  const stored: NewDataObject[] = [];
  for (const object of made) stored.push(await storeResult(object, blobs));
  const shared = await surfaces.finish();
  const inputs: Provenance['inputs'] = [];
  for (const row of used.values()) {
    inputs.push({ dataObjectId: row.id, sha256: await findHash(context.db, row) });
  }
  return {
    dataObjects: stored,
    shared: shared.made,
    parts: shared.parts,
    warnings,
    verdict: made.map(readVerdict).find((verdict) => verdict !== undefined),
    provenance: {
      // After the requested inputs, because the first input counts as the scan of a result.
      inputs: [...inputs, ...shared.inputs],
      parameters,
      algorithms,
      version: context.version,
      seconds: run.seconds,
      peakMemoryBytes: run.peakMemoryBytes,
    },
  };
}

async function readSource(
  db: Executor,
  projectId: string,
  { title, needs }: InputChoice['analysis'],
  named: InputChoice['named'],
): Promise<DataObjectRow> {
  const analysis = { title, needs: { ...needs, reference: [] } };
  const chosen = await chooseInputs(db, { projectId, analysis, named });
  if ('error' in chosen) throw new WorkFailure(chosen.error.code, chosen.error.detail);
  const row = await readDataObject(db, projectId, chosen.sourceDataObjectId ?? '');
  if (needs.source.includes(row.kind)) return row;
  throw new WorkFailure(
    'MISSING_INPUT',
    `${title} works on ${needs.source.join(' or ')}, but “${row.name}” is ${row.kind}.`,
  );
}

async function readDataObject(db: Executor, projectId: string, id: string): Promise<DataObjectRow> {
  const [row] = await db
    .select()
    .from(dataObjects)
    .where(and(eq(dataObjects.id, id), eq(dataObjects.projectId, projectId)));
  if (row) return row;
  throw new WorkFailure('MISSING_INPUT', `The project has no data object ${id} (any more).`);
}

/** A reference belongs to the project, or is a CAD model of another project that the operation's owner may see. */
async function readReference(
  db: Executor,
  { projectId, organizationId, createdBy: userId }: OperationWork['row'],
  id: string,
): Promise<DataObjectRow> {
  const row = await findReference(db, { projectId, organizationId, userId }, id);
  if (row) return row;
  throw new WorkFailure(
    'MISSING_INPUT',
    `Neither the project nor another one that its owner can see has the reference ${id} (any more).`,
  );
}

async function storeResult(
  { files, volume, ...object }: ResultObject,
  blobs: WorkBlobs,
): Promise<NewDataObject> {
  return {
    ...object,
    files: await storeFiles(files, blobs),
    ...(volume ? { volume: { key: volume.key, sizeBytes: volume.sizeBytes } } : {}),
  };
}

/** Hash that identifies a data object: of its source file, its grey values, or its first file. */
async function findHash(db: Executor, row: DataObjectRow): Promise<string | null> {
  const { metadata } = row;
  if ('sourceSha256' in metadata && metadata.sourceSha256 !== undefined) return metadata.sourceSha256;
  if ('valuesSha256' in metadata && metadata.valuesSha256 !== undefined) return metadata.valuesSha256;
  const [file] = await db
    .select({ sha256: dataObjectFiles.sha256 })
    .from(dataObjectFiles)
    .where(eq(dataObjectFiles.dataObjectId, row.id))
    .orderBy(dataObjectFiles.createdAt, dataObjectFiles.fileName)
    .limit(1);
  return file?.sha256 ?? null;
}
