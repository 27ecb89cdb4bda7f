import type { AnalysisKind } from '#contract/analyses/registry.ts';
import { client } from './generated/client.gen.ts';
import type { Operation } from './generated/types.gen.ts';

/**
 * Starts an analysis of any kind.
 * @param parameters already validated against the contract's schema of the kind
 */
export async function startAnalysis(
  projectId: string,
  kind: AnalysisKind,
  parameters: Record<string, unknown>,
): Promise<Operation> {
  const { data } = await client.post<{ 202: Operation }, unknown, true>({
    url: `/api/v2/projects/{project_id}/${kind}`,
    path: { project_id: projectId },
    body: parameters,
    headers: { 'Content-Type': 'application/json' },
    security: [{ name: 'Authorization', type: 'apiKey' }],
  });
  return data;
}
