import { CharacteristicListQuery, CharacteristicPage } from '../shapes/characteristic.ts';
import {
  Disposition,
  DispositionInput,
  DispositionListQuery,
  DispositionPage,
} from '../shapes/disposition.ts';
import { type Access, declareExtensions } from './operation.ts';

const viewer: Access = { kind: 'workspace', role: 'viewer', of: 'project' };

export const verdicts = declareExtensions('Projects', {
  listCharacteristics: {
    method: 'GET',
    path: '/api/v2/projects/{id}/characteristics',
    summary: 'Measured numbers with limits that the verdict is computed from, the worst first',
    access: viewer,
    query: CharacteristicListQuery,
    response: { status: 200, schema: CharacteristicPage },
  },
  listDispositions: {
    method: 'GET',
    path: '/api/v2/projects/{id}/dispositions',
    summary: 'What was decided about the part, the newest first',
    access: viewer,
    query: DispositionListQuery,
    response: { status: 200, schema: DispositionPage },
  },
  createDisposition: {
    method: 'POST',
    path: '/api/v2/projects/{id}/dispositions',
    summary: 'Accept the part, or have it reworked or scrapped; its verdict stays as it is',
    access: { kind: 'workspace', role: 'editor', of: 'project' },
    body: DispositionInput,
    response: { status: 201, schema: Disposition },
    problems: ['PROJECT_ARCHIVED', 'IDEMPOTENCY_MISMATCH'],
  },
});
