import type { Operation } from '#contract/shapes/operation.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { exampleContent } from '#storage/testing/example-content.ts';
import { testService } from './service.ts';

export type AnalysedProject = Awaited<ReturnType<typeof openAnalysedProject>>;

/** A service with a project that has a volume, and helpers to request analyses. */
export async function openAnalysedProject() {
  const service = await testService();
  const { id: projectId } = await service.project();
  async function addObject(
    kind: 'volume' | 'mesh' | 'cad' | 'report',
    of = projectId,
    changes: object = {},
  ): Promise<string> {
    const [{ id }] = await service.db
      .insert(dataObjects)
      .values({ projectId: of, ...exampleContent(kind, changes), name: kind })
      .returning();
    return id;
  }
  const run = (kind: string, body?: unknown, of = projectId) =>
    service.ask<Operation & { code: string; field: string; detail: string }>(
      'POST',
      `/api/v2/projects/${of}/${kind}`,
      body,
      { token: service.token },
    );
  return { service, projectId, volumeId: await addObject('volume'), addObject, run };
}
