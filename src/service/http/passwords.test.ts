import { afterEach, expect, test, vi } from 'vitest';
import { cheapCost } from '../testing/service.ts';
import { hashPassword, owaspCost, setPasswordCost, verifyPassword } from './passwords.ts';

afterEach(() => setPasswordCost(cheapCost));

test('a password costs 19 MiB and two passes unless a test says otherwise', async () => {
  vi.resetModules();
  const fresh = await import('./passwords.ts');
  expect(await fresh.hashPassword('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('a password is right by the cost that its hash was made with, however its letters are composed', async () => {
  setPasswordCost(owaspCost);
  const hash = await hashPassword('caf\u00e9');
  setPasswordCost(cheapCost);
  expect(await verifyPassword('cafe\u0301', hash)).toBe(true);
  expect(await verifyPassword('cafe', hash)).toBe(false);
});

test('no password is right where there is none, nor for what is no hash', async () => {
  for (const none of [null, '', '$argon2id$v=19$m=8,t=1$abc$abc'])
    expect(await verifyPassword('', none)).toBe(false);
});
