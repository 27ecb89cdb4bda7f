import type { OperationKind } from '#contract/analyses/registry.ts';
import type { WorkError } from '#contract/base/primitives.ts';
import type { Operation, Provenance } from '#contract/shapes/operation.ts';
import type { operations } from '#storage/db/schema-work.ts';

export type OperationRow = typeof operations.$inferSelect;

/** Converts a row to the contract's shape; columns stored as JSON are validated with the whole response. */
export function operationShape(row: OperationRow): Operation {
  return {
    id: row.id,
    projectId: row.projectId,
    operation: row.operation as OperationKind,
    status: row.status,
    progress: row.progress,
    stage: row.stage,
    parameters: row.parameters,
    inputDataObjectIds: row.inputDataObjectIds,
    outputDataObjectIds: row.outputDataObjectIds,
    provenance: row.provenance as Provenance | null,
    invocationId: row.invocationId,
    verdict: row.verdict,
    warnings: row.warnings,
    error: row.error as WorkError | null,
    createdBy: row.createdBy,
    createdAt: row.createdAt.toISOString(),
    startedAt: row.startedAt?.toISOString() ?? null,
    finishedAt: row.finishedAt?.toISOString() ?? null,
  };
}
