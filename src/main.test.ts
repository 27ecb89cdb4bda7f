import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'start-'));
  await writeFile(path.join(folder, 'file'), '');
  await mkdir(path.join(folder, 'used'));
  await writeFile(path.join(folder, 'used/uploads'), '');
});
afterAll(() => rm(folder, { recursive: true }));

async function start(environment: Record<string, string>): Promise<{ code: number | null; text: string }> {
  const { PATH, NODE_COMPILE_CACHE } = process.env;
  const env = { PATH, NODE_COMPILE_CACHE, PORT: '0', DATA_DIR: path.join(folder, 'data'), ...environment };
  const child = spawn(process.execPath, ['--import', './src/drizzle-as-commonjs.ts', 'src/main.ts'], {
    env,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const parts: Buffer[] = [];
  child.stderr.on('data', (part: Buffer) => parts.push(part));
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, text: Buffer.concat(parts).toString() };
}

test.each<[() => Record<string, string>, RegExp]>([
  [() => ({ DATA_DIR: '/etc/passwd' }), /DATA_DIR=\/etc\/passwd .*it is a file/],
  [() => ({ DATA_DIR: '/etc/passwd/data' }), /DATA_DIR=\/etc\/passwd\/data .*it is a file/],
  [() => ({ DATA_DIR: path.join(folder, 'file') }), /DATA_DIR=.*it is a file/],
  [() => ({ DATA_DIR: path.join(folder, 'used') }), /DATA_DIR=.*it is a file \(uploads\); name a folder/],
  [() => ({ DATA_DIR: '/proc/scanwright' }), /DATA_DIR=\/proc\/scanwright/],
  [() => ({ DATA_DIR: `/tmp/${'x'.repeat(300)}` }), /DATA_DIR=.*the name is too long/],
  [
    () => ({ HOST: '203.0.113.1', PORT: '18999' }),
    /listen on 203\.0\.113\.1:18999: this machine has no such address; set HOST/,
  ],
  [
    () => ({ HOST: '256.1.1.1' }),
    /can't listen on 256\.1\.1\.1:0: (no machine has|this name can't) .*set HOST to/,
  ],
  [() => ({ DATABASE_URL: 'postgresql://nobody@127.0.0.1:1/none' }), /127\.0\.0\.1:1\/none can't be reached/],
  [() => ({ TRUST_PROXY: 'everybody' }), /TRUST_PROXY="everybody"/],
])('a failed start states the reason in one line (%#)', async (settings, reason) => {
  const { code, text } = await start(settings());
  expect([code, text.trimEnd().split('\n').length, text]).toEqual([1, 1, expect.stringMatching(reason)]);
});
