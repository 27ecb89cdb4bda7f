/**
 * Real volumes through the running product: upload, ingest, mesh, wall thickness; prints what was measured.
 * `node bench/real-data.ts [folder of the data]`
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DataObject } from '#contract/shapes/data-object.ts';
import type { Operation } from '#contract/shapes/operation.ts';
import { administrator, startService } from '../e2e/support/service.ts';
import { uploadBytes } from '../e2e/support/upload.ts';

interface Case {
  file: string;
  /** what was measured independently, in the words of the data's own description */
  known: string;
  voxelSizeMm?: string;
  mesh: Record<string, unknown>;
  zip?: boolean;
}

const cases: Case[] = [
  {
    file: 'volumes/lhdl-bone-tiff-stack',
    zip: true,
    voxelSizeMm: '0.0195,0.0195,0.0195',
    mesh: { surface: { mode: 'value', value: 62.5 } },
    known: '≥ 63: 1 840 671 voxels = 13.648 mm³ (BV/TV 0.230084)',
  },
  {
    file: 'volumes/sphere-r40-100.tif',
    voxelSizeMm: '1,1,1',
    mesh: { surface: { mode: 'value', value: 128 } },
    known: 'analytic volume 268 082.6, area 20 106.2; by scikit-image at 128: area 20 094.9; thickness 80',
  },
  { file: 'volumes/3DCT_lung_baseline_small.mha', mesh: {}, known: '57×78×64, spacing 2.732 × 2.732 × 5 mm' },
  {
    file: 'volumes/fiberform-100.tif',
    voxelSizeMm: '0.0013,0.0013,0.0013',
    mesh: { surface: { mode: 'value', value: 89.5 } },
    known: '≥ 90: 167 140 voxels = 3.672e-4 mm³ (16.714 %)',
  },
];

const data = process.argv[2] ?? process.env.SCANWRIGHT_DATA ?? '../shared/data';
if (!existsSync(join(data, 'volumes'))) {
  console.error(`There is no folder ${join(data, 'volumes')}; give the folder of the data as the argument`);
  process.exit(1);
}

const service = await startService();
const json = async <Answer>(method: string, path: string, body?: unknown, token = ''): Promise<Answer> => {
  const response = await fetch(`${service.url}${path}`, {
    method,
    headers: { Authorization: `Token ${token}`, ...(body ? { 'Content-Type': 'application/json' } : {}) },
    body: body ? JSON.stringify(body) : undefined,
  });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Answer;
};

async function finished(token: string, projectId: string, operation: string): Promise<Operation> {
  for (;;) {
    const { results } = await json<{ results: Operation[] }>(
      'GET',
      `/api/v2/projects/${projectId}/operations?operation=${operation}`,
      undefined,
      token,
    );
    const newest = results[0];
    if (newest?.status === 'completed') return newest;
    if (newest?.status === 'failed') throw new Error(`${operation}: ${JSON.stringify(newest.error)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

const seconds = ({ startedAt, finishedAt }: Operation) =>
  ((Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')) / 1000).toFixed(2);
const mebibytes = ({ provenance }: Operation) => Math.round((provenance?.peakMemoryBytes ?? 0) / 2 ** 20);

try {
  const { token } = await json<{ token: string }>('POST', '/api/login', administrator);
  const me = await json<{ organizations: { id: string }[] }>('GET', '/api/v2/me', undefined, token);
  const workspace = await json<{ id: string }>(
    'POST',
    `/api/v2/organizations/${me.organizations[0].id}/workspaces`,
    { name: 'Real data' },
    token,
  );
  for (const { file, known, voxelSizeMm, mesh, zip } of cases) {
    const project = await json<{ id: string }>(
      'POST',
      '/api/v2/projects',
      { name: file, workspaceId: workspace.id },
      token,
    );
    const folder = mkdtempSync(join(tmpdir(), 'scanwright-real-'));
    const path = zip ? join(folder, 'stack.zip') : join(data, file);
    if (zip) execFileSync('python3', ['-m', 'zipfile', '-c', path, join(data, file)]);
    const metadata = { projectId: project.id, filename: path.split('/').at(-1) ?? file };
    await uploadBytes(
      service.url,
      token,
      readFileSync(path),
      voxelSizeMm ? { ...metadata, voxelSizeMm } : metadata,
    );
    rmSync(folder, { recursive: true });
    const ingest = await finished(token, project.id, 'ingest');
    await json('POST', `/api/v2/projects/${project.id}/createMesh`, mesh, token);
    const meshed = await finished(token, project.id, 'createMesh');
    await json('POST', `/api/v2/projects/${project.id}/runWallThickness`, { ...mesh, smoothing: 0 }, token);
    const walls = await finished(token, project.id, 'runWallThickness');
    const result = async (operation: Operation) =>
      (await json<DataObject>('GET', `/api/v2/data/${operation.outputDataObjectIds[0]}`, undefined, token))
        .metadata;
    const meshFacts = await result(meshed);
    const wallFacts = await result(walls);
    console.log(`\n${file}\n  known: ${known}`);
    console.log(
      `  ingest ${seconds(ingest)} s; mesh ${seconds(meshed)} s, ${mebibytes(meshed)} MiB; walls ${seconds(walls)} s, ${mebibytes(walls)} MiB (peak of the worker)`,
    );
    console.log(
      `  mesh: volume ${meshFacts.volumeMm3} mm³, area ${meshFacts.areaMm2} mm², watertight ${meshFacts.watertight}, ${meshFacts.components} components, ${meshFacts.triangles} triangles`,
    );
    console.log(
      `  walls (sphere): mean ${wallFacts.meanMm} mm, sd ${wallFacts.sdMm}, min ${wallFacts.minMm}, max ${wallFacts.maxMm}, percentiles ${JSON.stringify(wallFacts.percentilesMm)}`,
    );
  }
} finally {
  await service.stop();
}
