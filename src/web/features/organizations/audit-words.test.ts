import { expect, it } from 'vitest';
import { actionInWords, detailInWords } from './audit-words.ts';

it('says what was done, for one and for many, and spells out what it does not know', () => {
  expect(actionInWords('editProject')).toBe('Changed a project');
  expect(actionInWords('runWallThickness')).toBe('Started wall thickness');
  expect(actionInWords('bulk.addTags')).toBe('Requested a bulk run: add tags');
  expect(actionInWords('polishLens')).toBe('Polish lens');
});

it('tells the one thing that is known as it is, several by name, and no ids', () => {
  expect(detailInWords({ detail: { name: 'Foundry A' } })).toBe('Foundry A');
  expect(detailInWords({ detail: { totalCount: 2 } })).toBe('total count: 2');
  expect(
    detailInWords({
      detail: {
        name: 'Housing',
        fields: ['tags', 'lot'],
        isManager: true,
        bulkRequestId: '00000000-0000-4000-8000-000000000000',
        lot: null,
      },
    }),
  ).toBe('name: Housing, fields: tags, lot, is manager: yes');
});
