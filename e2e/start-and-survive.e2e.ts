import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { main, type RunningService, startService } from './support/service.ts';
import { expect, test } from './support/test.ts';

const login = async ({ url }: RunningService, email: string, password: string) => {
  const response = await fetch(`${url}/api/login`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ email, password }),
  });
  return { status: response.status, ...((await response.json()) as { token: string }) };
};
const get = async ({ url }: RunningService, token: string, path: string) =>
  (await fetch(`${url}${path}`, { headers: { Authorization: `Token ${token}` } })).json();

/** Every process whose environment names the folder: service, worker, database. */
const findProcesses = (dataDir: string) =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(Number)
    .filter((pid) => {
      try {
        const said =
          readFileSync(`/proc/${pid}/environ`, 'utf8') + readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return said.includes(dataDir);
      } catch {
        return false; // ended meanwhile, or owned by another user
      }
    });

const npm = ['npm', 'start'];

test.describe('npm start', () => {
  test('prints the address and the first account once, and leaves no process behind on SIGTERM, sent to npm or to it', async () => {
    const service = await startService({ ADMIN_EMAIL: '', ADMIN_PASSWORD: '' });
    try {
      await expect.poll(() => service.output()).toContain(service.url);
      const [, email] = service.output().match(/email:\s+(\S+@\S+)/i) ?? [];
      const [, password] = service.output().match(/password: (\S+)/) ?? [];
      expect((await login(service, email, password)).status).toBe(200);
      expect(findProcesses(service.dataDir).length).toBeGreaterThan(3);
      await service.stop({ keepData: true });
      expect(service.process.exitCode).toBe(0);
      await expect.poll(() => findProcesses(service.dataDir)).toEqual([]);

      const kept = { ADMIN_EMAIL: '', ADMIN_PASSWORD: '', DATA_DIR: service.dataDir };
      const again = await startService(kept, npm);
      expect(again.output()).not.toMatch(/password/i);
      expect((await login(again, email, password)).status).toBe(200);
      await again.stop({ keepData: true });
      expect(again.process.exitCode).toBe(0);
      await expect.poll(() => findProcesses(service.dataDir)).toEqual([]);
    } finally {
      await service.stop();
    }
  });

  test('loses nothing after kill -9 of every process', async () => {
    const service = await startService();
    const { token } = await login(service, service.email, service.password);
    const me = await get(service, token, '/api/v2/me');
    const organizationId = me.organizations[0].id;
    const created = await fetch(`${service.url}/api/v2/organizations/${organizationId}/workspaces`, {
      method: 'POST',
      headers: { Authorization: `Token ${token}`, 'Content-Type': 'application/json' },
      body: JSON.stringify({ name: 'Acknowledged' }),
    });
    expect(created.status).toBe(201);
    const pids = findProcesses(service.dataDir);
    expect(pids.length).toBeGreaterThan(3);
    for (const pid of pids) {
      try {
        process.kill(pid, 'SIGKILL');
      } catch {
        // ended together with its parent
      }
    }
    const again = await startService({ DATA_DIR: service.dataDir }, npm);
    try {
      const workspaces = await get(again, token, `/api/v2/organizations/${organizationId}/workspaces`);
      expect(workspaces.results.map(({ name }: { name: string }) => name)).toContain('Acknowledged');
      // Killed, npm can't pass the signal on: its child has to notice.
      again.process.kill('SIGKILL');
      await expect.poll(() => findProcesses(service.dataDir)).toEqual([]);
    } finally {
      await again.stop();
    }
  });

  const wrong: [string, string][] = [
    ['PORT', 'eighty'],
    ['ADMIN_PASSWORD', 'short'],
    ['DATABASE_URL', 'mysql://localhost'],
    ['S3_BUKET', 'scans'],
    ['WORKERS', '-1'],
  ];
  for (const [name, value] of wrong) {
    test(`stops with one line when ${name} is ${value}`, async () => {
      const dataDir = await mkdtemp(join(tmpdir(), 'scanwright-e2e-'));
      const [program, ...words] = main;
      const { status, stderr } = spawnSync(program, words, {
        env: { ...process.env, DATA_DIR: dataDir, [name]: value },
        encoding: 'utf8',
      });
      await rm(dataDir, { recursive: true, force: true });
      expect(status).toBe(1);
      expect(stderr.trim().split('\n')).toHaveLength(1);
      expect(stderr).toContain(name);
    });
  }
});
