/** A report of a project without recipes: its contents and the orientation of its pictures. */
import { writeFile } from 'node:fs/promises';
import { inflateSync } from 'node:zlib';
import { and, eq } from 'drizzle-orm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listMeasured } from '#contract/analyses/data-kinds.ts';
import { formatMeasured } from '#contract/analyses/quantities.ts';
import type { MeasurementResult } from '#contract/shapes/measurement.ts';
import { viewState } from '#contract/testing/view-state.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { openVolumeReader } from '#formats/ome-zarr/volume-reader.ts';
import { writeStl } from '#formats/stl/write-stl.ts';
import { collect } from '#formats/testing/collect.ts';
import { centreGridMm, slicePositionMm } from '#kernels/grid/plane-transform.ts';
import { makeSlabs, type Vector3 } from '#kernels/grid/volume.ts';
import { porousBlock } from '#kernels/testing/bodies.ts';
import { boxMesh } from '#kernels/testing/compare-bodies.ts';
import { renderBody } from '#kernels/testing/render-body.ts';
import { bookmarks, dispositions, measurements } from '#storage/db/schema-collaboration.ts';
import { dataObjects } from '#storage/db/schema-data.ts';
import { exports } from '#storage/db/schema-work.ts';
import { requestWork } from '#storage/work/life.ts';
import { drawSlice } from '../renders/draw-slice.ts';
import { openWorkerHarness, type WorkerHarness } from '../testing/worker-harness.ts';
import { scanPicture } from './report-pictures.ts';

/** Its large pore is on the upper right, where x and y are large. */
const part = renderBody(
  porousBlock(
    [6, 4, 3],
    [
      { centerMm: [1.8, 1, 0], radiusMm: 0.6 },
      { centerMm: [-1.5, -0.8, 0.3], radiusMm: 0.3 },
      { centerMm: [-0.5, 0.9, -0.4], radiusMm: 0.25 },
    ],
  ),
  { dimensions: [88, 64, 48], voxelSizeMm: [0.08, 0.08, 0.08] },
);

let harness: WorkerHarness;
beforeAll(async () => {
  harness = await openWorkerHarness();
  await harness.startWorker();
  await harness.ended(await harness.upload('part.nrrd', await collect(writeNrrd(makeSlabs(part)))));
  await harness.ended(
    await harness.request('runIntegrityAnalysis', { minVoxels: 3, includeSurfaceConnected: true }),
  );
  await harness.ended(await harness.request('runWallThickness', { minThicknessMm: 1.2 }));
});
afterAll(() => harness.close());

async function requestReport(projectId: string) {
  const id = await harness.db.transaction(async (tx) => {
    const config = {
      exportMeshes: false,
      exportVolumes: false,
      exportRadiographs: false,
      report: true,
    } as const;
    const [row] = await tx
      .insert(exports)
      .values({ projectId, config, createdBy: harness.userId })
      .returning();
    await requestWork(tx, 'export', row);
    return row.id;
  });
  const read = async () => (await harness.db.select().from(exports).where(eq(exports.id, id)))[0];
  await harness.until(async () => (await read()).finishedAt !== null);
  return read();
}

/** The text of each page: the strings of its text operators, in order. */
function readPages(pdf: Uint8Array): string[] {
  const bytes = Buffer.from(pdf);
  const pages: string[] = [];
  for (let at = bytes.indexOf('stream\n'); at >= 0; at = bytes.indexOf('stream\n', at + 1)) {
    let content: string;
    try {
      content = inflateSync(bytes.subarray(at + 7)).toString('latin1');
    } catch {
      continue; // A picture that is packed otherwise.
    }
    if (!content.includes('BT\n')) continue;
    const strings = [...content.matchAll(/\[([^\]]*)\] TJ/g)].map(([, parts]) =>
      [...parts.matchAll(/<([0-9a-f]*)>/g)]
        .map(([, hex]) => Buffer.from(hex, 'hex').toString('latin1'))
        .join(''),
    );
    pages.push(strings.join('\n').replaceAll('\u0097', '—').replaceAll('\u00a0', ' '));
  }
  return pages;
}

/** Grey values of a PNG of one channel. */
function readPng(png: Uint8Array): { width: number; height: number; grey: Uint8Array } {
  const bytes = Buffer.from(png);
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  const parts: Buffer[] = [];
  for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
    if (bytes.toString('latin1', at + 4, at + 8) === 'IDAT')
      parts.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
  const raw = inflateSync(Buffer.concat(parts));
  const grey = new Uint8Array(width * height);
  for (let y = 0; y < height; y++)
    for (let x = 0, left = 0; x < width; x++) {
      // Every row is written with filter 1.
      left = (left + raw[y * (width + 1) + 1 + x]) & 255;
      grey[y * width + x] = left;
    }
  return { width, height, grey };
}

const measured: MeasurementResult = {
  values: [
    {
      quantity: 'distance',
      value: 12.34567,
      unit: 'mm',
      uncertainty: { expanded: 0.0123, k: 2, contributions: [] },
    },
  ],
  feature: {
    ...{ kind: 'circle', centerMm: [1, 2, 3], direction: [0, 0, 1], radiusMm: 6.2, apexAngleDeg: null },
    ...{ rmsMm: 0.00102, formErrorMm: 0.00321, pointCount: 24 },
  },
  method: 'Between two points.',
  provenance: {
    dataObjectName: 'Plate',
    dataObjectVersion: 1,
    surfaceName: 'Mesh',
    voxelSizeMm: null,
    pointUncertaintyMm: null,
    version: 1,
  },
};

describe('a report of any project', () => {
  let pages: string[];
  let pictures: number;
  beforeAll(async () => {
    const [volume] = await harness.db
      .select()
      .from(dataObjects)
      .where(and(eq(dataObjects.projectId, harness.projectId), eq(dataObjects.kind, 'volume')));
    await harness.db.insert(measurements).values({
      projectId: harness.projectId,
      dataObjectId: volume.id,
      name: 'Flange width',
      kind: 'distance',
      points: [],
      featureIds: [],
      placement: 'edge',
      result: measured,
    });
    const kept = { projectId: harness.projectId, createdBy: harness.userId };
    await harness.db.insert(bookmarks).values([
      { ...kept, name: 'Shown second', position: 2, viewState: { ...viewState, layout: 'xy' } },
      {
        ...{ ...kept, name: 'Shown first', position: 1, description: 'The large pore lies beside the bore.' },
        viewState: { ...viewState, layout: '3d' },
      },
      {
        ...kept,
        name: 'Of a scan that is gone',
        position: 3,
        viewState: { ...viewState, volumeId: crypto.randomUUID() },
      },
    ]);
    const row = await requestReport(harness.projectId);
    expect(row.error).toBeNull();
    expect(row.fileName).toMatch(/^report_Part_\d{4}-\d\d-\d\d\.pdf$/);
    const pdf = await harness.store.read(row.blobKey ?? '');
    if (process.env['REPORT']) await writeFile(process.env['REPORT'], pdf);
    pages = readPages(pdf);
    pictures = Buffer.from(pdf).toString('latin1').split('/Subtype /Image').length - 1;
  });

  it('has the picture, worst places and names of both surfaces on page 1', () => {
    expect(pages[0]).toContain('INSPECTION REPORT');
    expect(pages[0]).toContain('Worst places');
    expect(pages[0]).toContain('Integrity: defect 1');
    expect(pages[0]).toContain('Middle slice of');
    expect(pages[0]).toContain('Wall thickness on the surface');
  });

  it('draws defects with the part around them', () => {
    const text = pages.join('\n');
    const [part, defects] = ['Wall thickness on the surface', 'Volume of defect'].map(
      (caption) => text.match(new RegExp(`${caption}, ([\\d. ×]+mm)`))?.[1],
    );
    expect(part).toBeTruthy();
    expect(defects, 'framed by the part').toBe(part);
  });

  it('lists each of the worst places once', () => {
    const places = pages[0]?.match(/-?\d+\.\d{3}, -?\d+\.\d{3}, -?\d+\.\d{3}/g) ?? [];
    expect(places.length).toBeGreaterThan(2);
    expect(new Set(places).size).toBe(places.length);
  });

  it('embeds the slice and each surface once, although shown on page 1 and with its analysis, and each bookmark', () => {
    expect(pictures).toBe(3 + 2);
  });

  it('shows the bookmarks in story order, with notes, and states which can’t be drawn', () => {
    const text = pages.join('\n');
    const [first, note, second, gone] = [
      'Shown first',
      'The large pore lies beside the bore.',
      'Shown second',
      'Of a scan that is gone\nNo picture: The volume that the view shows is not in the project any more.',
    ].map((words) => text.indexOf(words));
    expect(text).toContain('Bookmarks');
    expect(first).toBeGreaterThan(0);
    expect([first, note, second, gone]).toEqual([first, note, second, gone].toSorted((a, b) => a - b));
  });

  it('lists the defects with their places, and every measurement with the digits of the screen', async () => {
    const text = pages.join('\n');
    expect(text).toMatch(/Defects: 3/);
    expect(text).toMatch(/\n0\.90\d+\nPorosity\n/);
    expect(text).toMatch(/1\.80\d, 1\.00\d, /);
    const results = await harness.db
      .select()
      .from(dataObjects)
      .where(and(eq(dataObjects.projectId, harness.projectId), eq(dataObjects.status, 'completed')));
    const measured = results.filter(({ kind }) => kind !== 'volume').flatMap((row) => listMeasured(row));
    expect(measured.length).toBeGreaterThan(15);
    const missing = measured
      .map(({ measure, value, expanded }) =>
        formatMeasured(value, measure.quantity, expanded).replaceAll('\u202f', ' '),
      )
      .filter((shown) => !text.includes(shown.split(' ')[0]));
    expect(missing).toEqual([]);
  });

  it('names parameters by their titles and units, never by their keys', () => {
    const text = pages.join('\n');
    expect(text).toContain('Smallest defect');
    expect(text).toContain('3 voxels');
    // Includes defaults: a thickness is meaningless without its method.
    expect(text).toContain('Method\nSphere');
    expect(text).not.toMatch(/minVoxels|minThicknessMm|includeSurfaceConnected/);
    expect(text).not.toMatch(/\d\.\d{6,} (mm|%|µm)/);
  });

  it('lists manual measurements, rounded to their uncertainty', () => {
    expect(pages.join('\n')).toMatch(/Flange width\nDistance\nDistance 12\.346 ± 0\.012/);
    expect(pages.join('\n')).toMatch(/24 points, RMS deviation 1\.02/);
    expect(pages.join('\n')).toContain('\nPlate, Mesh\nBetween two points.\n');
  });

  it('shows the legend, scale bar and axes of the viewer beside each coloured picture', () => {
    const lines = pages.join('\n').split('\n');
    const count = (pattern: RegExp) => lines.filter((line) => pattern.test(line)).length;
    // Letters and their background. One picture on page 1 and one with each analysis; the slice has no legend.
    expect(count(/^Wall thickness, mm$/)).toBe(2 * 2);
    // Too wide for one line.
    expect(count(/^Volume of defect,$/)).toBe(2);
    expect(lines.join('\n')).toContain('Volume of defect,\nmm³\nmm³\n');
    const twice = lines.filter((line, i) => line === lines[i + 1] && /^[\d.,]+ (mm|µm)$/.test(line));
    expect(twice.length).toBe(4);
    expect([count(/^X$/), count(/^Y$/), count(/^Z$/)]).toEqual([2 * 4, 2 * 4, 2 * 3]);
    // The axis starts at 0, as for thickness.
    const [first = ''] = pages;
    expect(first.slice(first.indexOf('Wall thickness, mm'))).toMatch(/\n0\n.*\n1\n.*\n2\n/s);
  });

  it('has the main characteristics on page 1, and names the reference', async () => {
    const projectId = await harness.newProject('Compared');
    // Slim boxes: the number of compared places depends on the surface relative to the length.
    const ingested = async (name: string, size: Vector3, kind: string) => {
      const bytes = writeStl(boxMesh(size));
      const id = await harness.upload(name, bytes, { kind, unit: 'mm' }, projectId);
      return (await harness.ended(id)).outputDataObjectIds[0];
    };
    await ingested('short.stl', [6, 0.6, 0.5], 'mesh');
    const referenceDataObjectId = await ingested('nominal drawing.stl', [6, 0.6, 1], 'cad');
    await harness.ended(
      await harness.request('runMeshCompare', { referenceDataObjectId, alignment: 'none' }, projectId),
    );
    const open = { referenceDataObjectId, alignment: 'none', guardBandMm: 0.5 };
    await harness.ended(await harness.request('runDecomposeMeshCompare', open, projectId));
    await harness.db
      .insert(dispositions)
      .values({ projectId, decision: 'rework', reason: 'Too short; send it back.' });
    const { blobKey, error } = await requestReport(projectId);
    expect(error).toBeNull();
    const [first, ...others] = readPages(await harness.store.read(blobKey ?? ''));
    expect(first).toContain('Disposition: rework. Too short; send it back. (');
    // A verdict is not broken in its narrow column.
    expect(others.join('\n')).toContain('Indeterminate\n');
    expect(others.join('\n')).not.toMatch(/Indetermin\w*\n\w*te\n/);
    expect(first).toContain('Characteristic\nMeasured\nTolerance\nGuard band\nVerdict');
    expect(first).toContain('CAD comparison\n-0.25 mm\n±0.1 mm\nnone\nfail');
    // The reason for the open verdict follows it.
    expect(first).toContain('Decomposed comparison: Some places are closer to a limit than the guard band');
    expect(others.join('\n')).toContain('Reference\nnominal drawing');
  });

  it('contains what a result’s page shows beside the measurements', async () => {
    const projectId = await harness.newProject('Textured');
    const bytes = await collect(writeNrrd(makeSlabs(part)));
    await harness.ended(await harness.upload('part.nrrd', bytes, {}, projectId));
    await harness.ended(await harness.request('createTexturedMesh', { textureSize: 256 }, projectId));
    const { blobKey } = await requestReport(projectId);
    const text = readPages(await harness.store.read(blobKey ?? '')).join('\n');
    expect(text).toMatch(/Texture\nName\nValue\nTexture\nGrey value\nGrey range\n/);
    expect(text).toContain('Picture\n256 × 256 pixels');
    // The only analysis is shown at the top, not a second time in its section.
    expect(text.match(/the surface, /g)).toHaveLength(1);
  });

  it('of a project without data states what to do', async () => {
    const row = await requestReport(await harness.newProject('Empty'));
    expect([row.status, row.error?.code]).toEqual(['failed', 'NOTHING_TO_EXPORT']);
  });
});

it('shows a slice in the same orientation as the viewer does', async () => {
  const [volume] = await harness.db
    .select()
    .from(dataObjects)
    .where(and(eq(dataObjects.projectId, harness.projectId), eq(dataObjects.kind, 'volume')));
  const picture = await scanPicture(harness.store, volume);
  const { width, height, grey } = readPng(picture?.png ?? new Uint8Array());
  const reader = await openVolumeReader(harness.store, volume.volumeKey ?? '');
  const grid = reader.meta;
  const [centreU, centreV] = centreGridMm(grid);
  const heightMm = grid.dimensions[1] * grid.voxelSizeMm[1];
  const drawn = { width, height, channels: 3 as const, samples: new Uint8Array(width * height * 3) };
  const sorted = Float64Array.from(part.data).sort();
  const [air, material] = [sorted[0], sorted[sorted.length - 1]];
  await drawSlice(
    { picture: drawn, x: 0, y: 0, width, height },
    reader,
    {
      name: 'xy',
      view: { centreU, centreV, heightMm, widthPx: width, heightPx: height },
      grid,
      positionMm: slicePositionMm(grid, 2, Math.floor(grid.dimensions[2] / 2)),
      window: { center: (air + material) / 2, width: material - air },
      smooth: true,
    },
    new AbortController().signal,
  );
  const agreement = (mirror: 'none' | 'x' | 'y') => {
    let same = 0;
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) {
        const [u, v] = [mirror === 'x' ? width - 1 - x : x, mirror === 'y' ? height - 1 - y : y];
        if (grey[y * width + x] > 127 === drawn.samples[3 * (v * width + u)] > 127) same++;
      }
    return same / (width * height);
  };
  expect(agreement('none')).toBeGreaterThan(0.99);
  expect(agreement('x')).toBeLessThan(0.97);
  expect(agreement('y')).toBeLessThan(0.97);
  // The large pore is on the right, in the upper half.
  const at = (x: number, y: number) => grey[Math.round(y * height) * width + Math.round(x * width)];
  expect(at(0.5 + 1.8 / 7.04, 0.5 - 1 / 5.12)).toBeLessThan(60);
  expect(at(0.5 + 1.8 / 7.04, 0.5 + 1 / 5.12)).toBeGreaterThan(200);
});
