import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startDatabase } from '#storage/db/start.ts';
import { isCompleted, signInTo } from './support/client.ts';
import { tubeNrrd } from './support/scans.ts';
import { startService } from './support/service.ts';
import { expect, test } from './support/test.ts';

test('With DATABASE_URL the data lie in that PostgreSQL and outlive the folder of the service', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'scanwright-database-'));
  const database = await startDatabase({
    databaseUrl: process.env.TEST_DATABASE_URL,
    directory: join(directory, 'postgres'),
  });
  try {
    const service = await startService({ DATABASE_URL: database.url });
    const client = await signInTo(service);
    const name = `Outlives ${Date.now()}`;
    const projectId = await client.createProject(name);
    await client.upload(projectId, await tubeNrrd(), { filename: 'tube.nrrd' });
    await client.operation(projectId, 'ingest', isCompleted);
    expect(service.output()).not.toContain('PostgreSQL');
    await service.stop();

    const again = await startService({ DATABASE_URL: database.url });
    const projects = await (await signInTo(again)).call<{ results: { name: string }[] }>(
      'GET',
      '/api/v2/projects',
    );
    expect(projects.results.map((project) => project.name)).toContain(name);
    await again.stop();
  } finally {
    await database.stop();
    await rm(directory, { recursive: true, force: true });
  }
});
