/** Creates one of each object that a page shows, so that no page is checked empty. */
import type { BulkRequest } from '#contract/shapes/bulk-request.ts';
import type { ProjectExport } from '#contract/shapes/export.ts';
import type { RecipeInvocation, RecipeVersion } from '#contract/shapes/recipe.ts';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { defaultViewState } from '#web/viewer/state/view-state.ts';
import { analysedProject, ballRadiographs, finished } from './scans.ts';
import { apiToken, call, createProject, expect, serviceUrl } from './test.ts';
import { uploadBytes } from './upload.ts';

/** The viewer's default view, scene only and without settings that depend on the renderer. */
export const plainView: ViewState = {
  ...defaultViewState(null, null, null),
  layout: '3d',
  scene: { edges: false, occlusion: false, gradient: false },
};

/** Polls until the work has ended, successfully or not. */
async function ended<Work extends { finishedAt: string | null }>(read: () => Promise<Work>): Promise<Work> {
  let work: Work | undefined;
  await expect
    .poll(
      async () => {
        work = await read();
        return work.finishedAt;
      },
      { timeout: 60_000, intervals: [100, 200] },
    )
    .not.toBeNull();
  if (!work) throw new Error('it was never there');
  return work;
}

/** Creates a project with radiographs and a reconstruction; returns the volume. */
async function reconstructed(workspaceId: string, name: string) {
  const { id } = await createProject(workspaceId, name);
  const bytes = await ballRadiographs();
  await uploadBytes(serviceUrl(), await apiToken(), bytes, { projectId: id, filename: 'ball.zip' });
  await finished(id, 'ingest');
  await call('POST', `/api/v2/projects/${id}/runReconstructionPreview`, { maxDimension: 32 });
  const { outputDataObjectIds } = await finished(id, 'runReconstructionPreview');
  return { projectId: id, volumeId: outputDataObjectIds[0] };
}

/** Returns their ids, all in one workspace; `name` is the name of the project with the tube. */
export async function oneOfEach(name: string) {
  const tube = await analysedProject(name);
  const { workspaceId, organizationId } = await call<{ workspaceId: string; organizationId: string }>(
    'GET',
    `/api/v2/projects/${tube.id}`,
  );
  const organization = `/api/v2/organizations/${organizationId}`;

  const createVersion = (recipePk: string | undefined, guardBand: number) =>
    call<RecipeVersion>('POST', `${organization}/recipeVersions`, {
      recipePk,
      name: `Walls of ${name}`,
      description: 'Walls of 1.5 mm and more, and nothing that hangs loose.',
      steps: [
        { key: 'mesh', operation: 'createMesh' },
        {
          key: 'thickness',
          operation: 'runWallThickness',
          parameters: { minThicknessMm: 1.5 },
          needs: ['mesh'],
        },
      ],
      gates: [
        { key: 'wall', measure: 'thickness.meanMm', comparison: '>=', limit: 1.5, unit: 'mm', guardBand },
        { key: 'solid', measure: 'mesh.volumeMm3', comparison: '<=', limit: 300, unit: 'mm³', guardBand: 0 },
      ],
    });
  const { recipePk } = await createVersion(undefined, 0.3);
  await createVersion(recipePk, 0.1);
  await call('POST', `${organization}/scanRecipeRevisions`, {
    name: `Scan of ${name}`,
    scanner: 'Cabinet 2',
    acquisition: { voltageKv: 160, currentUa: 90, projections: 1440, exposureMs: 500 },
  });
  const run = await call<RecipeInvocation>('POST', `/api/v2/projects/${tube.id}/runRecipe`, { recipePk });
  await ended(() => call<RecipeInvocation>('GET', `/api/v2/recipeInvocations/${run.id}`));

  const ball = await reconstructed(workspaceId, `Ball beside ${name}`);
  const bulk = await call<BulkRequest>('POST', '/api/v2/bulkProjects/addTags', {
    projectIds: [tube.id, ball.projectId],
    tags: ['seen'],
  });
  await ended(() => call<BulkRequest>('GET', `/api/v2/bulkRequests/${bulk.id}`));

  const exports = `/api/v2/projects/${tube.id}/export`;
  await call('POST', exports, {});
  await expect.poll(async () => (await call<ProjectExport>('GET', exports)).status).toBe('completed');
  const { outputDataObjectIds: surfaces } = await finished(tube.id, 'runWallThickness');
  const bookmark = await call<{ id: string }>('POST', '/api/v2/bookmarks', {
    projectId: tube.id,
    name: 'Upper rim',
    description: 'Is this the edge that was ground?',
    viewState: { ...plainView, meshId: surfaces[0] },
  });
  await call('POST', `/api/v2/bookmarks/${bookmark.id}/comments`, { text: 'It is.' });
  await call('POST', '/api/v2/accessTokens', { name: `Press line, ${name}`, scope: 'read' });
  const { token } = await call<{ token: string }>('POST', `${organization}/invitations`, {
    email: `newcomer-${Date.now()}@example.com`,
    workspaces: [{ id: workspaceId, role: 'viewer' }],
  });
  return {
    tubeId: tube.id,
    ballId: ball.projectId,
    ballVolumeId: ball.volumeId,
    recipePk,
    runId: run.id,
    bulkId: bulk.id,
    bookmarkId: bookmark.id,
    invitationToken: token,
  };
}
