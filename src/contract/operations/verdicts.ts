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
    route: 'GET /api/v2/projects/{id}/characteristics',
    summary:
      'List the characteristics (measured numbers with limits) that determine the verdict, worst first',
    access: viewer,
    query: CharacteristicListQuery,
    response: { status: 200, schema: CharacteristicPage },
  },
  listDispositions: {
    route: 'GET /api/v2/projects/{id}/dispositions',
    summary: 'List dispositions of the part, newest first',
    access: viewer,
    query: DispositionListQuery,
    response: { status: 200, schema: DispositionPage },
  },
  createDisposition: {
    route: 'POST /api/v2/projects/{id}/dispositions',
    summary: 'Create a disposition: accept, rework or scrap the part; the verdict is not affected',
    access: { kind: 'workspace', role: 'editor', of: 'project' },
    body: DispositionInput,
    response: { status: 201, schema: Disposition },
    problems: ['PROJECT_ARCHIVED', 'IDEMPOTENCY_MISMATCH'],
  },
});
