import {
  Measurement,
  MeasurementInput,
  MeasurementListQuery,
  MeasurementPage,
  MeasurementPatch,
} from '../shapes/measurement.ts';
import { type Access, declareExtensions } from './operation.ts';

const viewer: Access = { kind: 'workspace', role: 'viewer', of: 'measurement' };
const editor: Access = { kind: 'workspace', role: 'editor', of: 'measurement' };

export const measurements = declareExtensions('Measurements', {
  listMeasurements: {
    route: 'GET /api/v2/projects/{id}/measurements',
    summary: 'List measurements of the project, oldest first',
    access: { kind: 'workspace', role: 'viewer', of: 'project' },
    query: MeasurementListQuery,
    response: { status: 200, schema: MeasurementPage },
  },
  createMeasurement: {
    route: 'POST /api/v2/projects/{id}/measurements',
    summary: 'Create a measurement; the values are computed from the points',
    access: { kind: 'workspace', role: 'editor', of: 'project' },
    body: MeasurementInput,
    response: { status: 201, schema: Measurement },
    problems: ['PROJECT_ARCHIVED', 'IDEMPOTENCY_MISMATCH'],
  },
  readMeasurement: {
    route: 'GET /api/v2/measurements/{id}',
    summary: 'Measurement details',
    access: viewer,
    response: { status: 200, schema: Measurement },
  },
  patchMeasurement: {
    route: 'PATCH /api/v2/measurements/{id}',
    summary: 'Rename a measurement or move its points; measurements that depend on it are recomputed',
    access: editor,
    body: MeasurementPatch,
    response: { status: 200, schema: Measurement },
    problems: ['PROJECT_ARCHIVED'],
  },
  deleteMeasurement: {
    route: 'DELETE /api/v2/measurements/{id}',
    summary: 'Delete a measurement that no other depends on',
    access: editor,
    response: { status: 204 },
    problems: ['PROJECT_ARCHIVED', 'CONFLICT'],
  },
});
