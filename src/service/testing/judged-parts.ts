/** Creates parts with results as a worker would leave them, without running one, for tests of verdicts. */
import { eq } from 'drizzle-orm';
import type { DataObjectKind } from '#contract/analyses/data-kinds.ts';
import type { Characteristic } from '#contract/shapes/characteristic.ts';
import type { Project } from '#contract/shapes/project.ts';
import type { RecipeVersion } from '#contract/shapes/recipe.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { operations, recipeInvocations } from '#storage/db/schema-work.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { recomputeVerdicts } from '#storage/verdicts/recompute-verdicts.ts';
import type { TestService } from './service.ts';

export const describeRegion = (worstMm: number) => ({
  areaMm2: 1,
  worstMm,
  worstPointMm: [1, 2, 3] as const,
});

/** A recipe with one gate, on porosity. */
export const describePores = (name: string) => ({
  name,
  steps: [{ key: 'pores', operation: 'runIntegrityAnalysis' }],
  gates: [{ key: 'porosity', measure: 'pores.porosity', comparison: '<=', limit: 1, unit: '%' }],
});

/** @param find returns the test's service, which has not started when this is called */
export function judgedParts(find: () => TestService) {
  /** Each result is one second newer than the previous one. */
  const clock = { nowMs: Date.parse('2026-01-01T00:00:00Z') };
  const tick = () => {
    clock.nowMs += 1000;
    return new Date(clock.nowMs);
  };
  const get = async <Body>(url: string, token = find().token) =>
    find().ask<Body & { code: string }>('GET', url, undefined, { token });
  const post = async <Body>(url: string, body?: unknown, token = find().token) =>
    find().ask<Body & { code: string; detail: string }>('POST', url, body, { token });
  const readProject = async (id: string) => (await get<Project>(`/api/v2/projects/${id}`)).body;
  const listCharacteristics = async (id: string, query = '') =>
    (await get<{ results: Characteristic[] }>(`/api/v2/projects/${id}/characteristics${query}`)).body.results;
  const newPart = async () => (await find().project()).id;

  /** Adds a completed operation with one result, as a worker would, and recomputes the verdict. */
  async function addResult(
    projectId: string,
    operation: string,
    kind: DataObjectKind,
    { inputs = [] as string[], metadata = {}, ...more }: Record<string, unknown> & { inputs?: string[] } = {},
  ): Promise<string> {
    const at = tick();
    const { db, organizationId } = find();
    const [{ id: operationId }] = await db
      .insert(operations)
      .values({
        ...{ projectId, organizationId, operation, status: 'completed', createdAt: at, finishedAt: at },
        inputDataObjectIds: inputs,
        parameters: inputs[1] === undefined ? {} : { referenceDataObjectId: inputs[1] },
        ...more,
      })
      .returning();
    const [{ id }] = await db
      .insert(dataObjects)
      .values({
        ...{ projectId, name: kind, createdByOperationId: operationId, createdAt: at },
        ...exampleContent(kind, metadata as object),
      })
      .returning();
    await db
      .update(operations)
      .set({ outputDataObjectIds: [id] })
      .where(eq(operations.id, operationId));
    await recomputeVerdicts(db, [projectId]);
    return id;
  }
  const scan = (projectId: string, kind: 'volume' | 'mesh' | 'cad' = 'volume') =>
    addResult(projectId, 'ingest', kind);
  const compare = (projectId: string, inputs: string[], verdict: 'pass' | 'fail', more = {}) =>
    addResult(projectId, 'runMeshCompare', 'meshCompare', {
      inputs,
      metadata: {
        verdict,
        tolerance: { lowerMm: -0.1, upperMm: 0.1 },
        regions: verdict === 'fail' ? [describeRegion(-0.31)] : [],
        ...(verdict === 'pass' ? { minMm: -0.02, maxMm: 0.05 } : {}),
      },
      ...more,
    });

  const findVersionsUrl = () => `/api/v2/organizations/${find().organizationId}/recipeVersions`;
  const createVersion = async (body: object, token?: string) =>
    (await post<RecipeVersion>(findVersionsUrl(), body, token)).body;

  /** Adds a finished run of a version, with the measured value of its only gate. */
  async function addRun(
    projectId: string,
    { recipePk, id, steps, gates }: RecipeVersion,
    source: string,
    measured: number,
    verdict = measured <= gates[0].limit ? ('pass' as const) : ('fail' as const),
  ): Promise<void> {
    const { db, organizationId } = find();
    const runId = crypto.randomUUID();
    const resultId = await addResult(projectId, 'runIntegrityAnalysis', 'integrity', {
      inputs: [source],
      invocationId: runId,
      stepKey: 'pores',
    });
    const [result] = await db.select().from(dataObjects).where(eq(dataObjects.id, resultId));
    const at = tick();
    await db.insert(recipeInvocations).values({
      ...{ id: runId, projectId, organizationId, recipeId: recipePk, recipeVersionId: id },
      definition: { steps, gates },
      ...{ status: 'completed', verdict, createdAt: at, finishedAt: at },
      steps: [{ key: 'pores', operationId: result.createdByOperationId, status: 'completed' }],
      gates: [{ key: 'porosity', measured, limit: gates[0].limit, verdict, dataObjectId: resultId }],
    });
    await recomputeVerdicts(db, [projectId]);
  }
  return {
    ...{ clock, tick, get, post, readProject, listCharacteristics, newPart },
    ...{ addResult, scan, compare, createVersion, addRun },
  };
}
