import { mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { type RunningDatabase, startDatabase } from '#storage/db/start.ts';
import { isCompleted, signInTo } from './support/client.ts';
import { tubeNrrd } from './support/scans.ts';
import { type RunningService, startService } from './support/service.ts';
import { expect, expectAccessible, test } from './support/test.ts';

test.use({ allowedConsoleErrors: [/429/] });

test.describe
  .serial('With DATABASE_URL', () => {
    let directory = '';
    let database: RunningDatabase;
    let service: RunningService;
    test.beforeAll(async () => {
      directory = await mkdtemp(join(tmpdir(), 'scanwright-database-'));
      database = await startDatabase({
        databaseUrl: process.env.TEST_DATABASE_URL,
        directory: join(directory, 'postgres'),
      });
      service = await startService({ DATABASE_URL: database.url });
    });
    test.afterAll(async () => {
      await service?.stop();
      await database?.stop();
      await rm(directory, { recursive: true, force: true });
    });

    test('the data are in the given PostgreSQL and outlive the service, whose folder may move but not be replaced by another', async () => {
      const client = await signInTo(service);
      const name = `Outlives ${Date.now()}`;
      const projectId = await client.createProject(name);
      await client.upload(projectId, await tubeNrrd(), { filename: 'tube.nrrd' });
      await client.operation(projectId, 'ingest', isCompleted);
      expect(service.output()).not.toContain('PostgreSQL');
      await service.stop({ keepData: true });

      const settings = { DATABASE_URL: database.url };
      await expect(startService({ ...settings, DATA_DIR: join(directory, 'empty') })).rejects.toThrow(
        /DATA_DIR=\S+ does not hold the files of this database/,
      );
      const DATA_DIR = join(directory, 'moved');
      await rename(service.dataDir, DATA_DIR);
      service = await startService({ ...settings, DATA_DIR });
      const projects = await (await signInTo(service)).call<{ results: { name: string }[] }>(
        'GET',
        '/api/v2/projects',
      );
      expect(projects.results.map((project) => project.name)).toContain(name);
    });

    // In this file, because after too many wrong passwords from an address the account is locked for a while.
    test('after too many wrong passwords the page says how long to wait, and then signs in', async ({
      page,
    }) => {
      test.slow();
      const guess = () =>
        fetch(`${service.url}/api/login`, {
          method: 'POST',
          headers: { 'Content-Type': 'application/json' },
          body: JSON.stringify({ email: service.email, password: 'a wrong password' }),
        });
      const answers = [];
      for (let i = 0; i < 11; i++) answers.push((await guess()).status);
      expect(answers.slice(0, 10)).toEqual(Array(10).fill(401));
      expect(answers[10]).toBe(429);
      await page.clock.install();
      await page.goto(`${service.url}/sign-in`);
      await page.getByLabel('Email').fill(service.email);
      await page.getByLabel('Password', { exact: true }).fill(service.password);
      await page.getByRole('button', { name: 'Sign in' }).click();
      const alert = page.getByRole('alert');
      await expect(alert).toContainText(/Too many failed sign-ins\. Try again in \d+\s*s/);
      await expect(page.getByRole('button', { name: 'Sign in' })).toBeDisabled();
      await expectAccessible(page);
      // To avoid waiting a minute, time passes in the page and for the attempts stored by the service.
      const client = new pg.Client({ connectionString: database.url });
      await client.connect();
      await client.query(
        "update rate_limit_hits set at = at - interval '1 minute' where key like 'password %'",
      );
      await client.end();
      await page.clock.fastForward(60_000);
      await expect(alert).toBeHidden();
      await page.getByRole('button', { name: 'Sign in' }).click();
      await expect(page.getByRole('heading', { name: 'Projects', level: 1 })).toBeVisible();
      // An open page would lose its event stream when the service ends.
      await page.close();
    });
  });
