import { afterEach, expect, test, vi } from 'vitest';
import { cheapCost } from '../testing/service.ts';
import { hashPassword, owaspCost, setPasswordCost, verifyPassword } from './passwords.ts';

afterEach(() => setPasswordCost(cheapCost));

test('hashing a password uses 19 MiB and two passes by default', async () => {
  vi.resetModules();
  const fresh = await import('./passwords.ts');
  expect(await fresh.hashPassword('correct horse')).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
});

test('a password is verified with the cost of its hash, in any Unicode composition', async () => {
  setPasswordCost(owaspCost);
  const hash = await hashPassword('caf\u00e9');
  setPasswordCost(cheapCost);
  expect(await verifyPassword('cafe\u0301', hash)).toBe(true);
  expect(await verifyPassword('cafe', hash)).toBe(false);
});

test('no password matches a missing or malformed hash', async () => {
  for (const none of [null, '', '$argon2id$v=19$m=8,t=1$abc$abc'])
    expect(await verifyPassword('', none)).toBe(false);
});
