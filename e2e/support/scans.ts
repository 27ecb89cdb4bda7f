/** Scans with known dimensions, and projects that contain them, for journeys that check results. */

import type { Operation } from '#contract/shapes/operation.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { writeTiff } from '#formats/tiff/write-tiff.ts';
import { writeZip } from '#formats/zip/write-zip.ts';
import { makeSlabs, type Vector3, type Volume, voxelArray } from '#kernels/grid/volume.ts';
import { plainDetector } from '#kernels/reconstruction/geometry.ts';
import { hollowCylinder } from '#kernels/testing/bodies.ts';
import { anglesOver, simulateRadiographs } from '#kernels/testing/radiographs.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import type { Samples } from './samples.ts';
import { apiToken, call, createProject, createWorkspace, expect, serviceUrl } from './test.ts';
import { uploadBytes } from './upload.ts';

/** A tube: outer radius 5 mm, wall 2 mm, 10 mm long, in voxels of 0.25 mm. */
export const tube = { outerRadiusMm: 5, wallMm: 2, heightMm: 10, voxelSizeMm: 0.25, dimensions: 52 };
export const tubeVolumeMm3 =
  Math.PI * (tube.outerRadiusMm ** 2 - (tube.outerRadiusMm - tube.wallMm) ** 2) * tube.heightMm;

/**
 * The tube as NRRD; `finer` divides the voxels, for work that should take long. `inSteps` repeats the coarse voxels
 * instead of computing each, where measured values do not matter.
 */
export async function tubeNrrd(finer = 1, inSteps = false): Promise<Uint8Array> {
  const { outerRadiusMm, wallMm, heightMm } = tube;
  const body = hollowCylinder(outerRadiusMm, outerRadiusMm - wallMm, heightMm);
  const rendered = (by: number) => {
    const [n, edge] = [tube.dimensions * by, tube.voxelSizeMm / by];
    return renderBody(body, { dimensions: [n, n, n], voxelSizeMm: [edge, edge, edge] });
  };
  const volume = inSteps ? repeatedCells(rendered(1), finer) : rendered(finer);
  const parts: Uint8Array[] = [];
  for await (const part of writeNrrd(makeSlabs(volume))) parts.push(part);
  return Buffer.concat(parts);
}

/** Repeats each voxel so many times along every axis. */
function repeatedCells(volume: Volume, times: number): Volume {
  const [nx, ny, nz] = volume.dimensions;
  const data = voxelArray(volume.dataType, nx * ny * nz * times ** 3);
  let i = 0;
  for (let z = 0; z < nz * times; z++) {
    for (let y = 0; y < ny * times; y++) {
      const row = nx * (Math.floor(y / times) + ny * Math.floor(z / times));
      for (let x = 0; x < nx; x++) {
        data.fill(volume.data[row + x], i, i + times);
        i += times;
      }
    }
  }
  return {
    ...volume,
    dimensions: [nx * times, ny * times, nz * times],
    voxelSizeMm: volume.voxelSizeMm.map((edge) => edge / times) as Vector3,
    data,
  };
}

/** A ball scanned in a cone beam: radius 9 mm, 3 mm beside the axis; the detector is shifted by 1 mm. */
export const ballScan = {
  projections: 60,
  columns: 64,
  rows: 48,
  pixelSizeMm: 2,
  sourceToAxisMm: 150,
  sourceToDetectorMm: 450,
  centerOfRotationMm: 1,
};

/** Its radiographs as a ZIP: a TIFF stack, and the scan geometry without the fields left out. */
export async function ballRadiographs(...leftOut: string[]): Promise<Uint8Array> {
  const { projections: count, columns, rows, pixelSizeMm, sourceToAxisMm, sourceToDetectorMm } = ballScan;
  const geometry = Object.entries({
    sourceToAxisMm,
    sourceToDetectorMm,
    pixelSizeMm,
    totalAngleDeg: 360,
    turntable: 'clockwise',
  }).filter(([name]) => !leftOut.includes(name));
  const { projections } = simulateRadiographs({
    bodies: [{ kind: 'ellipsoid', attenuation: 0.1, center: [3, 0, 0], radiiMm: [9, 9, 9] }],
    geometry: {
      beam: 'cone',
      sourceToAxisMm,
      sourceToDetectorMm,
      columns,
      rows,
      pixelSizeMm: [pixelSizeMm, pixelSizeMm],
      anglesDeg: anglesOver(360, count),
      detector: plainDetector(sourceToAxisMm, sourceToDetectorMm, {
        offsetMm: [-ballScan.centerOfRotationMm, 0],
      }),
    },
    flatLevel: 50_000,
  });
  const parts: Uint8Array[] = [];
  const stack = { path: 'projections.tif', data: writeTiff(projections), compress: true };
  const json = { path: 'geometry.json', data: Buffer.from(JSON.stringify(Object.fromEntries(geometry))) };
  for await (const part of writeZip([stack, json])) parts.push(part);
  return Buffer.concat(parts);
}

/** Waits for the newest operation of a kind; throws its error message if it failed. */
export async function finished(projectId: string, operation: string): Promise<Operation> {
  let newest: Operation | undefined;
  await expect
    .poll(
      async () => {
        const path = `/api/v2/projects/${projectId}/operations?operation=${operation}`;
        newest = (await call<{ results: Operation[] }>('GET', path)).results[0];
        if (newest?.status === 'failed') throw new Error(`${operation}: ${newest.error?.detail}`);
        return newest?.status;
      },
      { timeout: 120_000, intervals: [100, 200] },
    )
    .toBe('completed');
  if (!newest) throw new Error(`no ${operation}`);
  return newest;
}

/** Uploads a scan to a project as its owner, and waits until it is imported. */
export async function uploadScan(projectId: string, filename: string, bytes: Uint8Array): Promise<void> {
  await uploadBytes(serviceUrl(), await apiToken(), bytes, { projectId, filename });
  await finished(projectId, 'ingest');
}

/** A copy of a sample in a workspace of its own; `more` are fields of the project. */
async function copySample(sampleId: string, name: string, more: Record<string, unknown> = {}) {
  const { id: workspaceId, organizationId } = await createWorkspace(`${name} ${Date.now()}`);
  const copy = `/api/v2/projects/${sampleId}/copy`;
  const { id } = await call<{ id: string }>('POST', copy, { destinationWorkspaceId: workspaceId, name });
  if (Object.keys(more).length > 0) await call('PATCH', `/api/v2/projects/${id}`, more);
  return { id, name, workspaceId, organizationId };
}

const readSamples = (): Samples => JSON.parse(process.env.E2E_SAMPLES ?? '{}');

/** A project with the tube in a workspace of its own; `more` are fields of the project. */
export async function scannedProject(name: string, more: Record<string, unknown> = {}) {
  const { scanned } = readSamples();
  await finished(scanned, 'ingest');
  return copySample(scanned, name, more);
}

/** The same with its mesh and its wall thickness. */
export async function analysedProject(name: string) {
  const { analysed } = readSamples();
  await finished(analysed, 'runWallThickness');
  return copySample(analysed, name);
}

/** A project with the tube imported anew, in voxels divided by `finer`, as in {@link tubeNrrd}. */
export async function scannedFiner(name: string, finer: number, inSteps = false) {
  const { id: workspaceId } = await createWorkspace(`${name} ${Date.now()}`);
  const { id } = await createProject(workspaceId, name);
  await uploadScan(id, 'tube.nrrd', await tubeNrrd(finer, inSteps));
  return { id, name, workspaceId };
}
