import { describe, expect, it } from 'vitest';
import type { z } from 'zod';
import { DataObject } from '../shapes/data-object.ts';
import {
  dataObjectKinds,
  findMaker,
  listMeasured,
  listScalars,
  type MetadataOf,
  surfaceKinds,
} from './data-kinds.ts';
import type { AnalysisDeclaration, PathTo } from './declaration.ts';
import { listFields } from './fields.ts';
import { analyses, findTitle } from './registry.ts';
import { getStep, readUncertainty, type StepKind, stepAnalyses } from './steps.ts';
import type { wallThickness } from './wall-thickness.ts';

const all: readonly AnalysisDeclaration[] = analyses;

type Thickness = z.infer<typeof wallThickness.result>;
type IsPath<Path> = Path extends PathTo<number, Thickness> ? true : false;
/** Checked by the compiler: only existing numeric fields of the result are valid paths. */
const paths: {
  meanMm: IsPath<'meanMm'>;
  'percentilesMm.p5': IsPath<'percentilesMm.p5'>;
  'regions.3.areaMm2': IsPath<'regions.3.areaMm2'>;
  meanMillimetres: IsPath<'meanMillimetres'>;
  method: IsPath<'method'>;
  'percentilesMm.p6': IsPath<'percentilesMm.p6'>;
} = {
  meanMm: true,
  'percentilesMm.p5': true,
  'regions.3.areaMm2': true,
  meanMillimetres: false,
  method: false,
  'percentilesMm.p6': false,
};
/** Fields that only some results of a kind have are optional; fields common to all are required. */
const mesh: Pick<MetadataOf<'mesh'>, 'vertices' | 'texture' | 'materials' | 'sourceFileName'> = {
  vertices: 3,
};

it('is typed by its result', () => {
  expect(Object.values(paths).filter(Boolean)).toHaveLength(3);
  expect(mesh.texture).toBeUndefined();
});

describe('the declared analyses', () => {
  it('have unique keys, status keys, step keys and titles', () => {
    for (const field of ['key', 'statusKey', 'stepKey', 'title'] as const)
      expect(new Set(all.map((analysis) => analysis[field])).size).toBe(all.length);
  });

  it('have titles for known operations only', () => {
    expect(findTitle('runWallThickness')).toBe('Wall thickness');
    expect(findTitle('ingest')).toBe('Import');
    expect(findTitle('runFatigueForecast')).toBeNull();
  });

  it.each(all)('$key needs and creates known kinds of data', ({ needs, makes }) => {
    const kinds: readonly string[] = dataObjectKinds;
    expect(kinds).toEqual(expect.arrayContaining([...needs.source, ...needs.reference]));
    if (makes !== null) expect(kinds).toContain(makes);
  });

  it.each(all)('$key has a title for each parameter and a label for each choice', ({ parameters }) => {
    for (const field of listFields(parameters).filter(({ kind }) => kind !== 'json')) {
      expect([field.key, field.title]).not.toEqual([field.key, field.path.at(-1)]);
      if (field.kind === 'choice' || field.kind === 'choices')
        expect([field.key, Object.keys(field.words)]).toEqual([field.key, field.options]);
      const beside = listFields(parameters).map(({ key }) => key);
      if (field.onlyWhen) expect(beside).toContain(field.onlyWhen.key);
    }
  });

  it.each(all)('$key has measures with unique paths and labels', ({ measures }) => {
    expect(new Set(measures.map(({ path }) => path)).size).toBe(measures.length);
    expect(new Set(measures.map(({ label }) => label)).size).toBe(measures.length);
  });

  it('that create the same kind of data have distinguishing marks, except for at most one', () => {
    for (const [makes, made] of Map.groupBy(stepAnalyses, (analysis) => analysis.makes)) {
      const without = made.filter((analysis) => !('mark' in analysis));
      expect([makes, without.length <= 1]).toEqual([makes, true]);
    }
  });
});

const textured = { shows: 'curvature', low: -1, high: 1 };

describe('a data object', () => {
  const readMaker = (kind: string, metadata: object): StepKind | undefined =>
    findMaker({ kind, metadata })?.key;

  it('is identified by its kind and the mark of its analysis', () => {
    expect(readMaker('mesh', { volumeMm3: 1 })).toBe('createMesh');
    expect(readMaker('mesh', { texture: textured })).toBe('createTexturedMesh');
    expect(readMaker('meshCompare', {})).toBe('runMeshCompare');
    expect(readMaker('meshCompare', { groupBy: 'cadFace' })).toBe('runDecomposeMeshCompare');
    expect(readMaker('volume', {})).toBeUndefined();
    expect(readMaker('cad', {})).toBeUndefined();
  });

  it('is coloured by the scalar fields of its analysis', () => {
    const names = (kind: string, metadata: object) => listScalars({ kind, metadata }).map(({ name }) => name);
    expect(names('wallThickness', {})).toEqual(['thicknessMm']);
    expect(names('mesh', {})).toEqual(['positionUncertaintyMm']);
    expect(names('mesh', { texture: textured })).toEqual(['curvature']);
    expect(surfaceKinds).toEqual(['wallThickness', 'meshCompare', 'mesh', 'cad']);
  });

  it('lists only the measures it has, with their units', () => {
    const metadata = { rmsMm: 0.01, inlierShare: null };
    expect(listMeasured({ kind: 'alignment', metadata })).toMatchObject([
      { measure: { path: 'rmsMm', label: 'RMS distance' }, value: 0.01, unit: 'mm' },
    ]);
  });

  it('may have an uncertainty for each of its measures and for nothing else', () => {
    const own = { expanded: 0.002, k: 2, contributions: [{ name: 'noise', value: 0.001 }] };
    const rms = getStep('runAutoAlignLite').measures[0]!;
    expect(readUncertainty({ uncertainties: { rmsMm: own } }, rms)).toEqual(own);
    expect(readUncertainty({}, rms)).toBeUndefined();
    const of = (uncertainties: object) =>
      DataObject.safeParse({
        id: '00000000-0000-4000-8000-000000000001',
        projectId: '00000000-0000-4000-8000-000000000002',
        name: 'Alignment',
        status: 'completed',
        files: [],
        warnings: [],
        createdByOperation: null,
        createdAt: '2027-01-01T00:00:00Z',
        kind: 'alignment',
        metadata: {
          matrix: [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1],
          rmsMm: 0.01,
          inlierShare: 1,
          iterations: 3,
          ambiguous: false,
          scale: 1,
          initial: 'none',
          deflectionMm: null,
          uncertainties,
        },
      }).success;
    expect([of({ rmsMm: own }), of({ rms: own })]).toEqual([true, false]);
  });
});
