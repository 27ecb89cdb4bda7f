/** Converts rows to the contract's shapes. */
import type { z } from 'zod';
import { analyses } from '#contract/analyses/registry.ts';
import type { AuditEntry } from '#contract/shapes/account.ts';
import type { AnalysisModule } from '#contract/shapes/organization.ts';
import type { analysisModules } from '#storage/db/schema-accounts.ts';
import type { auditLog } from '#storage/db/schema-collaboration.ts';

export function moduleShape(row: typeof analysisModules.$inferSelect): z.infer<typeof AnalysisModule> {
  const { id, key, name, enabled } = row;
  const operations = analyses.filter(({ module }) => module.key === key).map((analysis) => analysis.key);
  return { id, key, name, enabled, operations };
}

export function auditShape(row: typeof auditLog.$inferSelect): z.infer<typeof AuditEntry> {
  const { id, action, resource, resourceId, projectId, userId, userEmail, address, detail } = row;
  return {
    id,
    action,
    resource,
    resourceId,
    projectId,
    actor: userId,
    actorEmail: userEmail,
    address,
    detail,
    createdAt: row.createdAt.toISOString(),
  };
}
