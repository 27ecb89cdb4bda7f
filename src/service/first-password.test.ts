import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { eq } from 'drizzle-orm';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { organizations, users } from '#storage/db/schema-accounts.ts';
import { type TestDatabase, testDatabase } from '#storage/testing/database.ts';
import { announceFirstAccount, firstPasswordFile } from './first-password.ts';
import { hashPassword, verifyPassword } from './http/passwords.ts';

let database: TestDatabase;
let dataDir: string;
beforeEach(async () => {
  database = await testDatabase();
  dataDir = await mkdtemp(path.join(tmpdir(), 'first-account-'));
});
afterEach(async () => {
  await database.close();
  await rm(dataDir, { recursive: true, force: true });
});

const adminEmail = 'first@example.com';
const killed = new Error('killed');

/** Starts the service; `say` is called when it prints. */
const start = async (
  print: (line: string) => unknown = () => undefined,
  adminPassword?: string,
  demo = true,
) => {
  const said: string[] = [];
  await announceFirstAccount(database.db, {
    dataDir,
    adminEmail,
    adminPassword,
    demo,
    print: async (line) => {
      await print(line);
      said.push(line);
    },
  });
  return said;
};
const passwordIn = (line: string) => line.match(/password: (\S+)/)?.[1] ?? '';
const isRight = async (password: string) => {
  const [user] = await database.db.select().from(users).where(eq(users.email, adminEmail));
  return verifyPassword(password, user.passwordHash);
};
const fileIsThere = () =>
  stat(firstPasswordFile(dataDir)).then(
    () => true,
    () => false,
  );

test('the password is printed once and stored nowhere afterwards', async () => {
  const [line, ...more] = await start();
  expect(more).toEqual([]);
  expect(await isRight(passwordIn(line))).toBe(true);
  expect(await fileIsThere()).toBe(false);
  expect(await start()).toEqual([]);
});

test('when a start is killed between creating the account and printing, the next one prints the password', async () => {
  await expect(
    start(() => {
      throw killed;
    }),
  ).rejects.toBe(killed);
  expect((await stat(firstPasswordFile(dataDir))).mode & 0o777).toBe(0o600);
  const [line] = await start();
  expect(await isRight(passwordIn(line))).toBe(true);
  expect(await fileIsThere()).toBe(false);
  expect(await start()).toEqual([]);
});

test('when a start is killed before creating the account, the next one uses the stored password', async () => {
  const kept = { email: adminEmail, password: 'kept-by-an-earlier-start' };
  await writeFile(firstPasswordFile(dataDir), JSON.stringify(kept), { mode: 0o600 });
  const [line] = await start();
  expect(passwordIn(line)).toBe(kept.password);
  expect(await isRight(kept.password)).toBe(true);
  expect(await fileIsThere()).toBe(false);
});

test('a password that was changed meanwhile is not printed', async () => {
  await expect(
    start(() => {
      throw killed;
    }),
  ).rejects.toBe(killed);
  await database.db.update(users).set({ passwordHash: await hashPassword('chosen by its owner') });
  expect(await start()).toEqual([]);
  expect(await fileIsThere()).toBe(false);
});

test('two hosts that start at once on one database print one password, the right one', async () => {
  const other = await mkdtemp(path.join(tmpdir(), 'first-account-'));
  try {
    const said: string[] = [];
    const print = async (line: string) => {
      said.push(line);
    };
    await Promise.all(
      [dataDir, other].map((folder) =>
        announceFirstAccount(database.db, {
          dataDir: folder,
          adminEmail,
          adminPassword: undefined,
          demo: true,
          print,
        }),
      ),
    );
    expect(said).toHaveLength(1);
    expect(await isRight(passwordIn(said[0]))).toBe(true);
  } finally {
    await rm(other, { recursive: true, force: true });
  }
});

test('a configured password is neither printed nor stored in a file', async () => {
  const [line] = await start(async () => expect(await fileIsThere()).toBe(false), 'a long enough password');
  expect(line).toContain('ADMIN_PASSWORD');
  expect(line).not.toContain('a long enough password');
  expect(await isRight('a long enough password')).toBe(true);
});

test('a configured password that is easy to guess stops the start, and no account is created', async () => {
  await expect(start(undefined, 'password123')).rejects.toThrow(
    /^the setting ADMIN_PASSWORD can't be used: it is easy to guess/,
  );
  expect(await database.db.select().from(users)).toEqual([]);
});

test.each([
  [true, 'Demo'],
  [false, 'My organization'],
])('with the demo set to %s the organization is called %s', async (demo, name) => {
  await start(undefined, undefined, demo);
  expect(await database.db.select({ name: organizations.name }).from(organizations)).toEqual([{ name }]);
});
