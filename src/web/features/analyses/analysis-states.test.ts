import { describe, expect, it } from 'vitest';
import type { DataObject, Operation, ProjectStatus } from '#web/api/generated/types.gen.ts';
import { analysisRows } from './analysis-states.ts';

const notStarted = { status: 'notStarted' } as const;
const none: ProjectStatus['analyses'] = {
  mesh: notStarted,
  texturedMesh: notStarted,
  wallThickness: notStarted,
  integrityAnalysis: notStarted,
  autoAlignLite: notStarted,
  meshCompare: notStarted,
  decomposeMeshCompare: notStarted,
  pipeline: notStarted,
  reconstructionPreview: notStarted,
};
const operation = (changes: Partial<Operation>): Operation => ({
  id: 'o1',
  projectId: 'p',
  operation: 'createMesh',
  status: 'completed',
  progress: 1,
  stage: null,
  parameters: {},
  inputDataObjectIds: [],
  outputDataObjectIds: [],
  provenance: null,
  invocationId: null,
  verdict: null,
  warnings: [],
  error: null,
  createdBy: null,
  createdAt: '2026-01-01T00:00:00Z',
  startedAt: null,
  finishedAt: null,
  ...changes,
});
const mesh = (id: string, createdByOperation: string | null): DataObject => ({
  id,
  projectId: 'p',
  kind: 'mesh',
  name: id,
  status: 'completed',
  files: [],
  warnings: [],
  metadata: {
    vertices: 4,
    triangles: 4,
    volumeMm3: 1,
    areaMm2: 6,
    watertight: true,
    components: 1,
    boundsMm: { min: [0, 0, 0], max: [1, 1, 1] },
  },
  createdByOperation,
  createdAt: '2026-01-01T00:00:00Z',
});
const kinds = (kind: string, object: { kind: string }) => kind === 'createMesh' && object.kind === 'mesh';

describe('The analyses of a project', () => {
  it('include those that can be run although nothing was started', () => {
    const rows = analysisRows(none, [], kinds);
    expect(rows.map(({ kind }) => kind)).toEqual(expect.arrayContaining(['createMesh', 'runWallThickness']));
    expect(rows.every(({ status }) => status === 'notStarted')).toBe(true);
  });

  it('have no result if they never ran, even if another analysis created data of that kind', () => {
    const rows = analysisRows(none, [mesh('m', 'o9')], kinds);
    expect(rows.map(({ result }) => result)).toEqual(rows.map(() => null));
  });

  it('show an unknown status unchanged', () => {
    const unheard = { ...operation({}), status: 'hibernating' } as unknown as Operation;
    const [row] = analysisRows({ ...none, mesh: unheard }, [], kinds);
    expect(row).toMatchObject({ kind: 'createMesh', status: 'hibernating' });
  });

  it('include one that ran although this version no longer offers it', () => {
    const rows = analysisRows({ ...none, pipeline: operation({ operation: 'runPipeline' }) }, [], kinds);
    expect(rows.find(({ kind }) => kind === 'runPipeline')).toMatchObject({ status: 'completed' });
  });

  it('name a comparison with something other than a CAD model by what it is', () => {
    const isResult = (kind: string) => kind === 'runMeshCompare';
    const title = (name: string) => {
      const meshCompare = operation({ operation: 'runMeshCompare', outputDataObjectIds: ['d'] });
      const rows = analysisRows({ ...none, meshCompare }, [{ ...mesh('d', 'o1'), name }], isResult);
      return rows.find(({ kind }) => kind === 'runMeshCompare')?.title;
    };
    expect(['CAD comparison', 'Surface comparison', 'Renamed'].map(title)).toEqual([
      'CAD comparison',
      'Surface comparison',
      'CAD comparison',
    ]);
  });

  it('link to the result of the newest run, and to the previous one while it runs', () => {
    const data = [mesh('new', 'o1'), mesh('uploaded', null), mesh('old', 'o0')];
    const done = operation({ outputDataObjectIds: ['new'] });
    expect(analysisRows({ ...none, mesh: done }, data, kinds)[0]?.result?.id).toBe('new');
    const running = operation({ id: 'o2', status: 'processing', progress: 0.4 });
    expect(analysisRows({ ...none, mesh: running }, data.slice(1), kinds)[0]?.result?.id).toBe('old');
  });
});
