/** Compares the verdicts of two versions of a recipe, for every project it ran on. */

import { and, asc, eq, inArray, ne } from 'drizzle-orm';
import type { RecipeStep } from '#contract/analyses/pipeline.ts';
import { findMeasure, splitMeasure } from '#contract/analyses/steps.ts';
import type { VersionEffect, VersionEffectSummary } from '#contract/shapes/version-effect.ts';
import { among } from '../db/among.ts';
import type { Executor } from '../db/connection.ts';
import { projects } from '../db/schema-projects.ts';
import { recipeInvocations } from '../db/schema-work.ts';
import { takeRow } from '../db/take-row.ts';
import {
  byEnd,
  describePart,
  isOnNewestScan,
  type Part,
  type Result,
  readResults,
} from '../verdicts/list-characteristics.ts';
import { type RunRecord, readPartRecords } from '../verdicts/part-records.ts';
import { type Definition, type Judged, listChangedGates, readJudged, rejudge } from './rejudge.ts';

const BATCH = 200;

interface Version extends Definition {
  id: string;
  recipePk: string;
  steps: RecipeStep[];
}

const notRun: Judged = { outcome: 'notRun', gates: new Map() };

/** The newest finished run of the version on the newest scan. */
const findRun = (versionId: string, part: Part): RunRecord | undefined =>
  part.runs
    .filter(
      (run) =>
        run.recipeVersionId === versionId &&
        (run.status === 'completed' || run.status === 'failed') &&
        isOnNewestScan(run, part),
    )
    .sort(byEnd)[0];

/** Data objects created by a step of the run; undefined when it did not succeed. */
const findOutputs = (run: RunRecord, stepKey: string, { operationsById }: Part): string[] | undefined =>
  operationsById.get(run.steps.find(({ key }) => key === stepKey)?.operationId ?? '')?.outputDataObjectIds;

function judgeSide(
  version: Version,
  own: RunRecord | undefined,
  other: RunRecord | undefined,
  part: Part,
  results: ReadonlyMap<string, Result>,
) {
  if (own) return { judged: readJudged(version, own), invocationId: own.id, isFromOther: false };
  const judged =
    other &&
    rejudge(version, other.definition.steps, (stepKey) =>
      findOutputs(other, stepKey, part)?.flatMap((id) => results.get(id) ?? []),
    );
  return judged && other
    ? { judged, invocationId: other.id, isFromOther: true }
    : { judged: notRun, invocationId: null, isFromOther: false };
}

const findLabel = (measure: string, versions: readonly Version[]): string => {
  const { step: stepKey, path } = splitMeasure(measure);
  const step = versions.flatMap(({ steps }) => steps).find(({ key }) => key === stepKey);
  return (step && findMeasure(step.operation, path)?.label) ?? measure;
};

/** Projects in these workspaces on which any version of the recipe ran, by name, without the trash. */
const findProjects = (db: Executor, recipePk: string, workspaceIds: readonly string[]) =>
  db
    .select({ id: projects.id, name: projects.name })
    .from(projects)
    .where(
      and(
        among(projects.workspaceId, workspaceIds),
        ne(projects.state, 'deleted'),
        inArray(
          projects.id,
          db
            .select({ id: recipeInvocations.projectId })
            .from(recipeInvocations)
            .where(eq(recipeInvocations.recipeId, recipePk)),
        ),
      ),
    )
    .orderBy(asc(projects.nameSort), asc(projects.id));

export async function listVersionEffects(
  db: Executor,
  { before, after }: { before: Version; after: Version },
  workspaceIds: readonly string[],
): Promise<{ effects: VersionEffect[]; summary: VersionEffectSummary }> {
  const found = await findProjects(db, after.recipePk, workspaceIds);
  const effects: VersionEffect[] = [];
  for (let from = 0; from < found.length; from += BATCH) {
    const batch = found.slice(from, from + BATCH);
    const records = await readPartRecords(
      db,
      batch.map(({ id }) => id),
    );
    const sides = batch.flatMap(({ id, name }) => {
      const record = records.get(id);
      if (!record) return [];
      const part = describePart(record);
      return [{ id, name, part, was: findRun(before.id, part), is: findRun(after.id, part) }];
    });
    // Results are read only when one of the versions has no run, so that the other's measurements are used.
    const needed = sides.flatMap(({ part, was, is }) => {
      const run = was && is ? undefined : (was ?? is);
      return run ? run.steps.flatMap(({ key }) => findOutputs(run, key, part) ?? []) : [];
    });
    const results = await readResults(db, needed);
    for (const { id, name, part, was, is } of sides) {
      const a = judgeSide(before, was, is, part, results);
      const b = judgeSide(after, is, was, part, results);
      const isKnown = a.judged !== notRun && b.judged !== notRun;
      const gates = listChangedGates(a.judged, b.judged).map(({ measure, ...gate }) => ({
        ...gate,
        label: findLabel(measure, [after, before]),
      }));
      effects.push({
        projectId: id,
        projectName: name,
        before: { outcome: a.judged.outcome, invocationId: a.invocationId, isFromOther: a.isFromOther },
        after: { outcome: b.judged.outcome, invocationId: b.invocationId, isFromOther: b.isFromOther },
        isChanged: isKnown && (a.judged.outcome !== b.judged.outcome || gates.length > 0),
        gates,
      });
    }
  }
  return { effects, summary: summarize(effects) };
}

function summarize(effects: readonly VersionEffect[]): VersionEffectSummary {
  const groups = Map.groupBy(effects, ({ before, after }) => `${before.outcome} ${after.outcome}`);
  return [...groups.values()]
    .map((group) => ({
      before: takeRow(group).before.outcome,
      after: takeRow(group).after.outcome,
      count: group.length,
    }))
    .sort((a, b) => b.count - a.count);
}
