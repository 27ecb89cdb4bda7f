/**
 * A tenth kind of analysis takes four files and a line in each registry: added to a copy of the project, it appears
 * everywhere.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';

const root = path.join(import.meta.dirname, '..');
let copy: string;

const four = {
  'src/contract/analyses/grey-level.ts': `
import { z } from 'zod';
import { declareAnalysis } from './declaration.ts';
import { choice, sourceAndRegion } from './shared-parameters.ts';

export const greyLevel = declareAnalysis({
  key: 'runGreyLevel',
  statusKey: 'greyLevel',
  title: 'Grey level',
  purpose: 'Mean grey value of the scan',
  help: 'Measures the mean grey value of a scan.',
  module: { key: 'greyLevel', name: 'Grey level' },
  stepKey: 'grey',
  parameters: z
    .strictObject({
      ...sourceAndRegion,
      scale: choice({ plain: 'Plain', doubled: 'Doubled' }).default('plain').meta({ title: 'Scale' }),
    })
    .meta({ id: 'GreyLevelParameters' }),
  needs: { source: ['volume'], reference: [] },
  makes: 'greyLevel',
  surface: null,
  result: z.object({ meanGrey: z.number(), voxels: z.int() }),
  measures: [
    { path: 'meanGrey', label: 'Mean grey value', quantity: 'ratio', better: 'none' },
    { path: 'voxels', label: 'Voxels', quantity: 'count', better: 'none' },
  ],
  scalars: [],
});
`,
  'src/kernels/grid/mean-grey.ts': `
import type { VoxelArray } from './volume.ts';

/** Mean of all values. O(values). */
export function meanGrey(values: VoxelArray): number {
  let sum = 0;
  for (const value of values) sum += value;
  return sum / values.length;
}
`,
  'src/analyses/grey-level.ts': `
import { greyLevel } from '#contract/analyses/grey-level.ts';
import { meanGrey } from '#kernels/grid/mean-grey.ts';
import { implementAnalysis } from './analysis.ts';

export const greyLevelAnalysis = implementAnalysis(greyLevel, async ({ scale }, inputs, context) => {
  const volume = await context.volume(inputs.sourceDataObjectId);
  const values = await volume.readSlab(0, volume.grid.dimensions[2], context.signal);
  const metadata = {
    meanGrey: (scale === 'doubled' ? 2 : 1) * meanGrey(values),
    voxels: values.length,
  };
  const { makes, title } = greyLevel;
  return { dataObjects: [{ kind: makes, name: title, metadata, files: [] }], warnings: [], algorithms: {} };
});
`,
  'src/web/features/analyses/kinds/grey-level.tsx': `
import { IconSun } from '@tabler/icons-react';
import { greyLevel } from '#contract/analyses/grey-level.ts';
import { Figures } from './figures.tsx';
import { type DataObjectOfKind, definePage, type ResultProps } from './kind-page.ts';
import { measuredFigures } from './measured.ts';

function GreyLevel({ dataObject: { metadata } }: ResultProps<DataObjectOfKind<typeof greyLevel.makes>>) {
  return <Figures label="Grey level" figures={measuredFigures(greyLevel, metadata)} />;
}

export const greyLevelPage = definePage(greyLevel, {
  icon: IconSun,
  headline: ({ meanGrey }) => String(meanGrey),
  Result: GreyLevel,
});
`,
};

/** Adds the line that imports it, and its entry in the list. */
function register(file: string, module: string, name: string, before: string): void {
  const text = readFileSync(path.join(copy, file), 'utf8');
  const listed = text.replace(`\n  ${before},\n`, `\n  ${before},\n  ${name},\n`);
  expect(listed).not.toBe(text);
  writeFileSync(path.join(copy, file), `import { ${name} } from '${module}';\n${listed}`);
}

const script = `
import { runAnalysis } from '#analyses/registry.ts';
import { dataObjectKinds, findDataTitle, findFolder, findMaker, listMeasured } from '#contract/analyses/data-kinds.ts';
import { describeParameters, listFields } from '#contract/analyses/fields.ts';
import { listGateIssues } from '#contract/analyses/gates.ts';
import { RecipeSteps } from '#contract/analyses/pipeline.ts';
import { analysisKinds, analysisModules, findAnalysis, findTitle } from '#contract/analyses/registry.ts';
import { interfacePage } from '#contract/interface-page.ts';
import { openApiDocument } from '#contract/openapi.ts';
import { DataObject } from '#contract/shapes/data-object.ts';
import { projectActions } from '#contract/shapes/project.ts';

const kind = 'runGreyLevel';
const values = Uint8Array.from([1, 2, 3, 6]);
const grid = { dimensions: [2, 2, 1], voxelSizeMm: [1, 1, 1], originMm: [0, 0, 0] };
const context = { volume: async () => ({ grid, readSlab: async () => values, range: [1, 6], histogram: { min: 1, max: 6, counts: [2, 2] } }), quality: async () => null, pool: { threads: 1 }, signal: new AbortController().signal };
const { dataObjects: [made] } = await runAnalysis(kind, { scale: 'doubled' }, { sourceDataObjectId: 'x' }, context);
const { paths, components } = openApiDocument('1');
const gate = (measure) => ({ key: 'g', measure, comparison: '<', limit: 1, unit: '', guardBand: 0 });
const steps = RecipeSteps.parse([{ key: 'grey', operation: kind }]);
const row = {
  id: '00000000-0000-4000-8000-000000000001', projectId: '00000000-0000-4000-8000-000000000001',
  name: made.name, status: 'completed', files: [], warnings: [], createdByOperation: null,
  createdAt: '2027-01-01T00:00:00Z', kind: made.kind, metadata: made.metadata,
};
const analysis = findAnalysis(kind);
console.log(JSON.stringify({
  isListed: analysisKinds.includes(kind) && projectActions.includes(kind),
  title: findTitle(kind),
  module: analysisModules.find(({ key }) => key === 'greyLevel')?.name,
  path: '/api/v2/projects/{project_id}/runGreyLevel' in paths,
  status: 'greyLevel' in components.schemas.ProjectStatus.properties.analyses.properties,
  union: components.schemas.DataObject.oneOf.some(({ $ref }) => $ref.endsWith('/GreyLevelDataObject')),
  page: interfacePage().includes('\`meanGrey\`'),
  form: listFields(analysis.parameters).map(({ title }) => title),
  words: describeParameters(analysis, { scale: 'doubled' }, () => null),
  gates: [listGateIssues([gate('grey.meanGrey')], steps).length, listGateIssues([gate('grey.meanGray')], steps).length],
  made: [made.kind, dataObjectKinds.includes(made.kind), findDataTitle(made.kind), findFolder(made.kind)],
  maker: findMaker(made).key,
  wire: DataObject.parse(row).metadata,
  measured: listMeasured(made).map(({ measure, value }) => [measure.label, value]),
}));
`;

beforeAll(() => {
  copy = mkdtempSync(path.join(tmpdir(), 'scanwright-tenth-'));
  for (const file of ['package.json', 'openapi-ts.config.ts'])
    cpSync(path.join(root, file), path.join(copy, file));
  cpSync(path.join(root, 'src'), path.join(copy, 'src'), { recursive: true });
  symlinkSync(path.join(root, 'node_modules'), path.join(copy, 'node_modules'));
  for (const [file, text] of Object.entries(four)) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    writeFileSync(path.join(copy, file), text);
  }
  register('src/contract/analyses/steps.ts', './grey-level.ts', 'greyLevel', 'reconstructionPreview');
  register('src/analyses/registry.ts', './grey-level.ts', 'greyLevelAnalysis', 'wallThicknessAnalysis');
  register(
    'src/web/features/analyses/kinds/registry.ts',
    './grey-level.tsx',
    'greyLevelPage',
    'wallThicknessPage',
  );
  writeFileSync(path.join(copy, 'tenth.ts'), script);
});
afterAll(() => rmSync(copy, { recursive: true, force: true }));

it('appears in every list, form, document, gate and union, and runs', () => {
  const answer = execFileSync(process.execPath, [path.join(copy, 'tenth.ts')], { encoding: 'utf8' });
  expect(JSON.parse(answer)).toEqual({
    isListed: true,
    title: 'Grey level',
    module: 'Grey level',
    path: true,
    status: true,
    union: true,
    page: true,
    form: ['Input', 'Region', 'Scale'],
    words: [{ label: 'Scale', value: 'Doubled' }],
    gates: [0, 1],
    made: ['greyLevel', true, 'Grey level', 'results'],
    maker: 'runGreyLevel',
    wire: { meanGrey: 6, voxels: 4 },
    measured: [
      ['Mean grey value', 6],
      ['Voxels', 4],
    ],
  });
});

it('is reported by the compiler where a registry lacks it, without other errors', {
  timeout: 240_000,
}, () => {
  for (const registry of ['src/analyses/registry.ts', 'src/web/features/analyses/kinds/registry.ts'])
    cpSync(path.join(root, registry), path.join(copy, registry));
  // The dashboard's types are generated from the OpenAPI document.
  execFileSync(process.execPath, ['src/contract/openapi.ts'], { cwd: copy });
  execFileSync('node_modules/.bin/openapi-ts', { cwd: copy });
  const options = {
    ...{ module: 'ESNext', moduleResolution: 'Bundler', jsx: 'react-jsx', incremental: false },
    ...{ lib: ['ES2024', 'DOM', 'DOM.Iterable'], types: ['vite/client', 'node'] },
  };
  const files = [
    ...Object.keys(four),
    'src/analyses/registry.ts',
    'src/web/features/analyses/kinds/registry.ts',
  ];
  writeFileSync(
    path.join(copy, 'tsconfig.json'),
    JSON.stringify({ extends: path.join(root, 'tsconfig.json'), compilerOptions: options, files }),
  );
  const { stdout } = spawnSync('node', ['node_modules/typescript-native/bin/tsc', '-p', '.'], {
    cwd: copy,
    encoding: 'utf8',
  });
  const faults = stdout.split('\n').filter((line) => line.includes('error TS'));
  expect(faults.map((line) => line.replace(/\(.*?\)/, ''))).toEqual([
    expect.stringMatching(/^src\/analyses\/registry.ts: error TS\d+: Property 'runGreyLevel' is missing/),
    expect.stringMatching(/^src\/web\/features\/analyses\/kinds\/registry.ts: .*'runGreyLevel' is missing/),
  ]);
});
