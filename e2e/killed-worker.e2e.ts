import { type Client, isCompleted, isUnderWay, signInTo } from './support/client.ts';
import { tubeNrrd, tubeVolumeMm3 } from './support/scans.ts';
import { holdWork, killHeldWorker, type RunningService, startService, workerOf } from './support/service.ts';
import { expect, test } from './support/test.ts';

// One service for both, which the second one ends.
test.describe
  .serial('A worker killed in the middle of an analysis', () => {
    let service: RunningService;
    let client: Client;
    let projectId = '';
    test.beforeAll(async () => {
      service = await startService();
      client = await signInTo(service);
      projectId = await client.createProject('Killed');
      await client.upload(projectId, await tubeNrrd(2), { filename: 'tube.nrrd' });
      await client.operation(projectId, 'ingest', isCompleted);
    });
    test.afterAll(() => service.stop());

    test('is replaced, and the analysis is done once', async () => {
      await client.call('POST', `/api/v2/projects/${projectId}/runWallThickness`, {});
      const newest = () => client.operation(projectId, 'runWallThickness', () => true);
      await holdWork(service.dataDir, async () => isUnderWay(await newest()));
      const started = await newest();
      await killHeldWorker(service.dataDir);
      const done = await client.operation(projectId, 'runWallThickness', isCompleted);
      expect(done.id).toBe(started.id);
      const data = await client.call<{ results: unknown[] }>(
        'GET',
        `/api/v2/projects/${projectId}/data?kind=wallThickness`,
      );
      expect(data.results).toHaveLength(1);
    });

    test('loses nothing when everything is killed with it and starts again', async () => {
      await client.call('POST', `/api/v2/projects/${projectId}/createMesh`, {});
      service.process.kill('SIGKILL');
      process.kill(workerOf(service.dataDir), 'SIGKILL');

      const again = await startService({ DATA_DIR: service.dataDir });
      try {
        const { operation, call } = await signInTo(again);
        const done = await operation(projectId, 'createMesh', isCompleted);
        const { metadata } = await call<{ metadata: { volumeMm3: number } }>(
          'GET',
          `/api/v2/data/${done.outputDataObjectIds[0]}`,
        );
        expect(Math.abs(metadata.volumeMm3 / tubeVolumeMm3 - 1)).toBeLessThan(0.005);
      } finally {
        await again.stop();
      }
    });
  });
