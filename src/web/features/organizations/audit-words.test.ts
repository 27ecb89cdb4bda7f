import { expect, it } from 'vitest';
import { describeAction, describeDetail } from './audit-words.ts';

it('describes actions in singular and plural, and spells out unknown ones', () => {
  expect(describeAction('editProject')).toBe('Changed a project');
  expect(describeAction('runWallThickness')).toBe('Started wall thickness');
  expect(describeAction('bulk.addTags')).toBe('Requested a bulk run: add tags');
  expect(describeAction('polishLens')).toBe('Polish lens');
});

it('shows a single detail as it is, several with their names, and no ids', () => {
  expect(describeDetail({ detail: { name: 'Foundry A' } })).toBe('Foundry A');
  expect(describeDetail({ detail: { totalCount: 2 } })).toBe('2 projects');
  expect(
    describeDetail({
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
