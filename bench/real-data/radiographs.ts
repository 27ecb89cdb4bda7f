/** Real projections reconstructed, and simulated ones compared with the STL that they were simulated from. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesSource } from '#formats/bytes/byte-source.ts';
import { openMesh } from '#formats/open-mesh.ts';
import { openRadiographs } from '#formats/radiographs/open-radiographs.ts';
import { collect } from '#formats/testing/collect.ts';
import { writeZip } from '#formats/zip/write-zip.ts';
import { alignPoints } from '#kernels/alignment/align.ts';
import { surfacePoints } from '#kernels/alignment/surface-points.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { measureDeviation } from '#kernels/compare/compare-meshes.ts';
import { deviationStatistics, vertexAreas } from '#kernels/compare/deviation-statistics.ts';
import { makeProbe } from '#kernels/compare/probe.ts';
import { identityDirections, makeSlabs } from '#kernels/grid/volume.ts';
import { listParts, measureMesh } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { placeInPart, readScanGeometry } from '#kernels/reconstruction/description.ts';
import { plainDetector } from '#kernels/reconstruction/geometry.ts';
import type { Radiographs } from '#kernels/reconstruction/plan.ts';
import { reconstruct } from '#kernels/reconstruction/reconstruct.ts';
import { measureBody } from '#kernels/testing/measure-body.ts';
import { findReference } from '#kernels/testing/moved-scans.ts';
import { openTreeHere } from '#kernels/testing/open-tree-here.ts';
import { readHdf5 } from './hdf5.ts';
import { readMatlab } from './matlab.ts';
import { against, number, type PublishedRow } from './published.ts';
import { filesIn, openSources } from './sources.ts';

export async function radiographRows(folder: string, pool: KernelPool): Promise<PublishedRow[]> {
  const rows = [await toothRow(folder, pool), await dendriteRow(folder, pool)];
  for (const name of ['ctsimu-tetrahedron-raw', 'ctsimu-02-circular', 'ctsimu-04-axis-tilt'])
    rows.push(...(await tetrahedronRows(folder, name, pool)));
  return rows;
}

const averageImages = ({
  shape: [images, rows, columns],
  values,
}: {
  shape: number[];
  values: Float64Array;
}) =>
  Float32Array.from({ length: rows * columns }, (_, i) => {
    let sum = 0;
    for (let k = 0; k < images; k++) sum += values[k * rows * columns + i];
    return sum / images;
  });

/** Columns, rows and projections as a source of slabs. */
const makeStack = (data: Float32Array<ArrayBuffer>, columns: number, rows: number, count: number) =>
  makeSlabs({
    dimensions: [columns, rows, count],
    voxelSizeMm: [1, 1, 1],
    originMm: [0, 0, 0],
    directions: identityDirections(),
    dataType: 'float32',
    data,
  });

async function reconstructed(radiographs: Radiographs, pool: KernelPool, maxDimension: number) {
  const parts: Float32Array[] = [];
  const facts = await reconstruct(
    radiographs,
    pool,
    { maxDimension, filter: 'sheppLogan' },
    async () => async (planes) => void parts.push(planes.slice()),
  );
  const data = new Float32Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    data.set(part, at);
    at += part.length;
  }
  return { facts, data };
}

function percentile(values: Float32Array, share: number): number {
  const sorted = Float32Array.from(values).sort();
  return sorted[Math.floor(share * (sorted.length - 1))];
}

/** The connected part with the most triangles: pieces left beside it by streaks are not part of the body. */
function largestPart({ positions, indices }: TriangleMesh): TriangleMesh {
  const parts = listParts(positions.length / 3, indices);
  const counts = new Map<number, number>();
  for (let t = 0; t < indices.length; t += 3)
    counts.set(parts[indices[t]], (counts.get(parts[indices[t]]) ?? 0) + 1);
  const [largest] = [...counts].reduce((a, b) => (b[1] > a[1] ? b : a));
  const kept = indices.filter((_, i) => parts[indices[i - (i % 3)]] === largest);
  const numbers = new Map<number, number>();
  for (const vertex of kept) if (!numbers.has(vertex)) numbers.set(vertex, numbers.size);
  const places = new Float32Array(3 * numbers.size);
  for (const [from, to] of numbers) places.set(positions.subarray(3 * from, 3 * from + 3), 3 * to);
  return { positions: places, indices: kept.map((vertex) => numbers.get(vertex) ?? 0) };
}

async function toothRow(folder: string, pool: KernelPool): Promise<PublishedRow> {
  const file = new Uint8Array(await readFile(join(folder, 'radiographs/tooth.h5')));
  const { shape, values } = readHdf5(file, 'exchange/data');
  const [count, rows, columns] = shape;
  const anglesDeg = [...readHdf5(file, 'exchange/theta').values];
  const { facts } = await reconstructed(
    {
      geometry: {
        beam: 'parallel',
        sourceToAxisMm: 0,
        sourceToDetectorMm: 1,
        columns,
        rows,
        pixelSizeMm: [1, 1],
        anglesDeg,
        detector: plainDetector(0, 1),
      },
      values: 'counts',
      flat: averageImages(readHdf5(file, 'exchange/data_white')),
      dark: averageImages(readHdf5(file, 'exchange/data_dark')),
      projections: makeStack(Float32Array.from(values), columns, rows, count),
    },
    pool,
    640,
  );
  return {
    subject: 'tooth',
    figure: 'centre of rotation, pixel',
    published: '≈ 296 (TomoPy’s documentation)',
    ours: `${facts.centerColumn.toFixed(2)}, found by ${facts.howFound}`,
    because: 'theirs is by eye and by the picture’s entropy, in whole pixels',
  };
}

async function dendriteRow(folder: string, pool: KernelPool): Promise<PublishedRow> {
  const arrays = readMatlab(
    new Uint8Array(await readFile(join(folder, 'radiographs/dendrite-sinogram.mat'))),
  );
  const sinogram = arrays.get('sinoRD');
  const angles = arrays.get('anglesRad');
  if (!sinogram || !angles) throw new Error('dendrite-sinogram.mat holds no sinoRD or no anglesRad');
  const [columns, count] = sinogram.shape;
  const { facts, data } = await reconstructed(
    {
      geometry: {
        beam: 'parallel',
        sourceToAxisMm: 0,
        sourceToDetectorMm: 1,
        columns,
        rows: 1,
        pixelSizeMm: [1, 1],
        anglesDeg: [...angles.values].map((angle) => (angle * 180) / Math.PI),
        detector: plainDetector(0, 1),
      },
      values: 'lineIntegrals',
      projections: makeStack(Float32Array.from(sinogram.values), columns, 1, count),
    },
    pool,
    640,
  );
  return {
    subject: 'dendrite',
    figure: 'reconstruction of one slice',
    published: 'no figure; the sinogram is centred in its file',
    ours:
      `centre ${facts.centerColumn.toFixed(2)} of ${(columns - 1) / 2}, found by ${facts.howFound}; ` +
      `greys from ${number(percentile(data, 0.01), 3)} to ${number(percentile(data, 0.99), 3)} per pixel (1st to 99th percentile)`,
  };
}

/** Mirrored, with its winding reversed, so that normals still point outward. */
const mirrored = ({ positions, indices }: TriangleMesh): TriangleMesh => ({
  positions: positions.map((value, i) => (i % 3 === 1 ? -value : value)),
  indices: indices.map((_, i) => indices[i - (i % 3) + [0, 2, 1][i % 3]]),
});
/** Rotated by 180° about the axis of rotation. */
const turnedByHalf = ({ positions, indices }: TriangleMesh): TriangleMesh => ({
  positions: positions.map((value, i) => (i % 3 < 2 ? -value : value)),
  indices,
});
const shifted = ({ positions, indices }: TriangleMesh, by: readonly number[]): TriangleMesh => ({
  positions: positions.map((value, i) => value + by[i % 3]),
  indices,
});

async function tetrahedronRows(folder: string, name: string, pool: KernelPool): Promise<PublishedRow[]> {
  const at = `radiographs/${name}`;
  const paths = filesIn(folder, at).flatMap((path) =>
    path.endsWith('projections') ? filesIn(folder, path) : path.endsWith('.json') ? [path] : [],
  );
  const inputs = await Promise.all(
    paths.map(async (path) => ({
      path: path.slice(at.length + 1),
      data: new Uint8Array(await readFile(join(folder, path))),
    })),
  );
  const zip = bytesSource('scan.zip', await collect(writeZip(inputs)));
  const opened = await openRadiographs([zip]);
  const [columns, rows, projections] = opened.projections.grid.dimensions;
  const { pixelSizeMm } = opened;
  const { geometry, axisFrame } = readScanGeometry(
    opened.geometry,
    { columns, rows, projections, pixelSizeMm },
    opened.views ?? undefined,
  );
  const { facts, data } = await reconstructed(
    {
      geometry,
      projections: opened.projections,
      values: opened.values,
      ...(opened.flats ? { flat: opened.flats.mean } : {}),
      ...(opened.darks ? { dark: opened.darks.mean } : {}),
      ...(opened.flatLevel === null ? {} : { flatLevel: opened.flatLevel }),
      ...(opened.darkLevel === null ? {} : { darkLevel: opened.darkLevel }),
    },
    pool,
    256,
  );
  const { dimensions, voxelSizeMm, originMm } = facts.grid;
  const volume = {
    dimensions,
    voxelSizeMm: [voxelSizeMm, voxelSizeMm, voxelSizeMm] as [number, number, number],
    originMm: placeInPart(originMm, axisFrame),
    directions: axisFrame.directions,
    dataType: 'float32' as const,
    data: data as Float32Array<ArrayBuffer>,
  };
  // Streaks of few projections form a separate peak, so the level is half of the iron's grey value.
  const iron = percentile(data, 0.999);
  const level = { surface: { mode: 'value' as const, value: iron / 2 }, smoothing: 0 };
  const scan = largestPart((await measureBody(volume, pool, level)).mesh);
  const stl = (await openMesh(await openSources(folder, [`${at}/tetra.stl`]), { unit: 'mm' })).mesh;
  const truth = measureMesh(stl.positions, stl.indices);
  const found = measureMesh(scan.positions, scan.indices);
  const subject = name;
  const few = `${projections} projections leave streaks, and voxels of ${number(voxelSizeMm, 3)} mm hold bars of a few mm`;
  const out: PublishedRow[] = [
    {
      subject,
      figure: 'volume, mm³',
      published: `${number(truth.volumeMm3 ?? Number.NaN)} of the STL (README: 5503.74)`,
      ours: against(found.volumeMm3 ?? Number.NaN, truth.volumeMm3 ?? Number.NaN),
      because: few,
    },
    {
      subject,
      figure: 'area, mm²',
      published: `${number(truth.areaMm2)} of the STL (README: 7946.49)`,
      ours: against(found.areaMm2, truth.areaMm2),
      because: few,
    },
  ];
  // Where the scenario gives the part's position on the stage, no alignment is used: handedness and heights become
  // visible.
  const place = await readPlace(folder, paths);
  if (place) {
    // A scenario positions the centre of the part's bounding box.
    const { min, max } = truth.boundsMm;
    const put = shifted(
      stl,
      place.map((value, k) => value - (min[k] + max[k]) / 2),
    );
    const hold = (mesh: TriangleMesh) => deviationText(scan, mesh);
    out.push({
      subject,
      figure: 'deviation where the scenario puts the part, not aligned',
      published: '0',
      ours: `as it is: ${await hold(put)}; turned by half: ${await hold(turnedByHalf(put))}; mirrored in y: ${await hold(mirrored(put))}`,
      because:
        'the part is its own mirror image in y, so that it can’t tell a mirrored reconstruction from a right one; it does tell where its tip is',
    });
  }
  out.push({
    subject,
    figure: 'aligned with the STL',
    published: 'fits',
    ours: await alignedText(scan, stl),
    because: few,
  });
  return out;
}

async function readPlace(folder: string, paths: readonly string[]): Promise<number[] | null> {
  for (const path of paths) {
    if (!path.endsWith('.json')) continue;
    const json = JSON.parse(await readFile(join(folder, path), 'utf8'));
    const center = json.samples?.[0]?.position?.center;
    if (center) return ['u', 'v', 'w'].map((axis) => Number(center[axis].value));
  }
  return null;
}

async function deviationText(
  scan: TriangleMesh,
  reference: TriangleMesh,
  pose?: readonly number[],
): Promise<string> {
  const identity = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1];
  const { deviationMm } = await measureDeviation(makeProbe(scan), await openTreeHere(reference), {
    pose: [...(pose ?? identity)],
    maxDistanceMm: 50,
  });
  const statistics = deviationStatistics(deviationMm, vertexAreas(scan), { lowerMm: -1, upperMm: 1 });
  return statistics
    ? `mean ${number(statistics.meanMm, 3)}, rms ${number(statistics.rmsMm, 3)}, median ${number(statistics.percentilesMm.p50, 3)} mm`
    : 'none within 50 mm';
}

async function alignedText(scan: TriangleMesh, stl: TriangleMesh): Promise<string> {
  try {
    const found = await alignPoints(surfacePoints(scan, 20_000), await findReference(stl));
    const size = `scale ${found.scale.toFixed(4)}, ambiguous ${found.ambiguous}`;
    return `${await deviationText(scan, stl, found.matrix)}; ${size}`;
  } catch (error) {
    return `refused: ${(error as Error).message}`;
  }
}
