/** The tube of the journeys, imported and analysed once: each journey works on a copy, which is available at once. */
import { isCompleted, signInTo } from './client.ts';
import { tubeNrrd } from './scans.ts';
import type { RunningService } from './service.ts';

export interface Samples {
  /** id of a project with the tube alone */
  scanned: string;
  /** id of a project that also has its mesh and its wall thickness */
  analysed: string;
}

/** @returns the ids, and a promise of their readiness: journeys that don't need them start meanwhile */
export async function requestSamples(
  service: RunningService,
): Promise<{ samples: Samples; ready: Promise<void> }> {
  const { call, upload, operation } = await signInTo(service);
  const { organizations } = await call<{ organizations: { id: string }[] }>('GET', '/api/v2/me');
  const workspaces = `/api/v2/organizations/${organizations[0].id}/workspaces`;
  const { id: workspaceId } = await call<{ id: string }>('POST', workspaces, { name: 'Samples' });
  const bytes = await tubeNrrd();
  const createProject = async (name: string, more: Record<string, unknown> = {}) => {
    const { id } = await call<{ id: string }>('POST', '/api/v2/projects', { workspaceId, name, ...more });
    await upload(id, bytes, { filename: 'tube.nrrd' });
    return id;
  };
  const scanned = await createProject('Sample');
  const analysed = await createProject('Analysed sample', { tags: ['tube'], partNumber: 'T-1' });
  const analyse = async () => {
    await operation(analysed, 'ingest', isCompleted);
    for (const kind of ['createMesh', 'runWallThickness']) {
      await call('POST', `/api/v2/projects/${analysed}/${kind}`, {});
      await operation(analysed, kind, isCompleted);
    }
  };
  return { samples: { scanned, analysed }, ready: analyse() };
}
