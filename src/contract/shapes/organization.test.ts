import { expect, test } from 'vitest';
import { Name, Tag } from './organization.ts';
import { ProjectInput } from './project.ts';

test.each([
  ['Housing\tA\r\n', 'Housing A'],
  ['Housing\r\nBcc: all@example.com', 'Housing Bcc: all@example.com'],
  ['\u0000Housing\u2028\u2029A\u0085', 'Housing A'],
  ['Housing \u202egpj.exe', 'Housing gpj.exe'],
  ['Gehäuse 中文 👩‍🔬', 'Gehäuse 中文 👩‍🔬'],
])('a name is a single line: %j', (given, kept) => {
  expect(Name.parse(given)).toBe(kept);
  expect(Tag.parse(given)).toBe(kept);
  const workspaceId = '00000000-0000-4000-8000-000000000000';
  const fields = { partNumber: given, serialNumber: given, lot: '\t' };
  expect(ProjectInput.parse({ workspaceId, name: given, ...fields })).toMatchObject({
    name: kept,
    partNumber: kept,
    serialNumber: kept,
    lot: '',
  });
});

test.each(['', ' ', '\r\n', '\u200b\u2060', '\u2800'])(
  'a name without a visible character is refused: %j',
  (given) => {
    expect(Name.safeParse(given).success).toBe(false);
  },
);
