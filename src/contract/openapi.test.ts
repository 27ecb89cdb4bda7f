import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { interfacePage } from './interface-page.ts';
import { openApiText } from './openapi.ts';

const generated = 'src/web/api/generated';
const filesBelow = (folder: string) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();

describe('openapi.json', () => {
  test('is what the contract says today (else: npm run generate)', () => {
    expect(readFileSync('openapi.json', 'utf8')).toBe(openApiText());
  });

  test('refers only to shapes that it holds', () => {
    const { components } = JSON.parse(openApiText());
    for (const [, id] of openApiText().matchAll(/"#\/components\/schemas\/([^"]+)"/g))
      expect(components.schemas).toHaveProperty(id);
  });

  test('is what the client was generated from (else: npm run generate)', () => {
    const folder = mkdtempSync(join(tmpdir(), 'scanwright-client-'));
    try {
      execFileSync('npx', ['openapi-ts', '-o', folder, '-s'], { stdio: 'pipe' });
      expect(filesBelow(generated)).toEqual(filesBelow(folder));
      for (const file of filesBelow(folder))
        expect([file, readFileSync(join(generated, file), 'utf8')]).toEqual([
          file,
          readFileSync(join(folder, file), 'utf8'),
        ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('docs/interface.md', () => {
  test('is what the contract says today (else: npm run generate)', () => {
    expect(readFileSync('docs/interface.md', 'utf8')).toBe(interfacePage());
  });
});
