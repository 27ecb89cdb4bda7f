/** Volumes and areas of CAD parts, and the thickness gauge on plates of known thickness. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openMesh } from '#formats/open-mesh.ts';
import type { LengthUnit } from '#formats/units.ts';
import type { KernelPool } from '#kernels/arena.ts';
import { identityDirections, makeSlabs, type Vector3 } from '#kernels/grid/volume.ts';
import { measureMesh } from '#kernels/mesh/measure.ts';
import type { TriangleMesh } from '#kernels/mesh/mesh.ts';
import { openTreeHere } from '#kernels/testing/open-tree-here.ts';
import { readCadFile } from '#worker/cad/read-cad.ts';
import { against, number, type PublishedRow } from './published.ts';
import { analysed, openSources } from './sources.ts';

/** File, volume in mm³ and area in mm² by OCCT, number of faces or bodies where it was given. */
const parts: { file: string; volume?: number; area: number; faces?: number; bodies?: number }[] = [
  { file: 'NIST_MBE_PMI_1.stp', volume: 1.46423e7, area: 807400, faces: 113 },
  { file: 'NIST_MBE_PMI_2.stp', volume: 4.6724e7, area: 2.46421e6, faces: 597 },
  { file: 'NIST_MBE_PMI_3.stp', volume: 313094, area: 353013, faces: 120 },
  { file: 'screw.step', volume: 3788.27, area: 1929.33, bodies: 1 },
  { file: 'as1-oc-214.stp', volume: 764520, area: 141079, bodies: 18 },
  { file: 'io1-cm-214.stp', volume: 78234.4, area: 21137.4 },
  { file: 'sg1-c5-214.stp', volume: 355878, area: 46607.9 },
  { file: 'cube_hole.step', volume: 29556.5, area: 7211.66 },
  { file: 'cuboid.step', volume: 98322.4, area: 14193.5 },
  { file: 't20_data.step', volume: 18388.5, area: 6368.8 },
  { file: 'lens-clamp-A.step', volume: 51377.6, area: 17162.4 },
  { file: 'lens-clamp-B.step', volume: 54468.5, area: 16806.9 },
  { file: 'revolved_sphere.step', volume: 523.599, area: 314.159 },
  { file: 'tet.step', volume: 2666.67, area: 1385.64 },
  { file: 'eight_cyl.stp', volume: 1.1781e6, area: 125664, bodies: 8 },
  { file: 'hammer.iges', area: 3.977e8, faces: 45 },
];
const meshes: { file: string; unit: LengthUnit; volume: number }[] = [
  { file: 'plate_holes.STL', unit: 'mm', volume: 767362 },
  { file: '1002_tray_bottom.STL', unit: 'mm', volume: 347866 },
  { file: '7_8ths_cube.stl', unit: 'mm', volume: 56000 },
  { file: 'unit_sphere.STL', unit: 'mm', volume: 4.15274 },
  { file: 'propeller.stl', unit: 'mm', volume: 1.95292e6 },
  { file: 't13_data.stl', unit: 'mm', volume: 67815.8 },
];
const sheets = [
  { file: 'plate_holes.STL', gaugeMm: 12.7, voxels: 14 },
  { file: '1002_tray_bottom.STL', gaugeMm: 3.175, voxels: 6 },
];

export async function cadRows(folder: string, pool: KernelPool): Promise<PublishedRow[]> {
  const rows: PublishedRow[] = [];
  for (const { file, volume, area, faces, bodies } of parts) {
    const bytes = new Uint8Array(await readFile(join(folder, 'cad', file)));
    const format = file.endsWith('.iges') ? 'iges' : 'step';
    const cad = await readCadFile({ format, bytes, name: file, deflectionMm: undefined }).catch(
      (error: Error) => error,
    );
    if (cad instanceof Error) {
      rows.push({ subject: file, figure: 'reading', published: 'by OCCT', ours: `refused: ${cad.message}` });
      continue;
    }
    const facts = measureMesh(cad.mesh.positions, cad.mesh.indices);
    const because = `triangles lie within ${number(cad.deflectionMm, 2)} mm of the true surface; OCCT integrates it`;
    if (volume !== undefined) {
      rows.push({
        subject: file,
        figure: 'volume, mm³',
        published: String(volume),
        ours: against(facts.volumeMm3 ?? Number.NaN, volume),
        because,
      });
    }
    const ours = against(facts.areaMm2, area);
    rows.push({ subject: file, figure: 'area, mm²', published: String(area), ours, because });
    if (faces !== undefined) {
      const found = new Set(cad.faces).size;
      rows.push({ subject: file, figure: 'faces', published: String(faces), ours: against(found, faces) });
    }
    if (bodies !== undefined)
      rows.push({
        subject: file,
        figure: 'bodies',
        published: String(bodies),
        ours: against(cad.bodies, bodies),
      });
  }
  for (const { file, unit, volume } of meshes) {
    const { mesh } = await openMesh(await openSources(folder, [`cad/${file}`]), { unit });
    const { volumeMm3 } = measureMesh(mesh.positions, mesh.indices);
    const ours = against(volumeMm3 ?? Number.NaN, volume);
    rows.push({ subject: file, figure: 'volume, mm³', published: String(volume), ours });
  }
  for (const { file, gaugeMm, voxels } of sheets) {
    const { mesh } = await openMesh(await openSources(folder, [`cad/${file}`]), { unit: 'mm' });
    const volume = await scanMesh(mesh, gaugeMm / voxels);
    const parameters = { surface: { mode: 'value', value: 0 }, smoothing: 0 };
    const { metadata } = await analysed('runWallThickness', parameters, makeSlabs(volume), pool);
    const { p50 } = metadata['percentilesMm'] as { p50: number };
    rows.push({
      subject: file,
      figure: 'median wall, mm',
      published: `${gaugeMm} (gauge)`,
      ours: against(p50, gaugeMm, 5),
      because: `measured in voxels of ${number(gaugeMm / voxels, 3)} mm that hold the distance to the part's surface`,
    });
  }
  return rows;
}

/** A part as a volume whose voxels hold their depth below its surface, in mm. */
async function scanMesh(mesh: TriangleMesh, voxelMm: number) {
  const { min, max } = measureMesh(mesh.positions, mesh.indices).boundsMm;
  const dimensions = [0, 1, 2].map((k) => Math.ceil((max[k] - min[k]) / voxelMm) + 6) as Vector3;
  const originMm = min.map((low, k) => {
    const free = dimensions[k] * voxelMm - (max[k] - min[k]);
    return low - free / 2 + voxelMm / 2;
  }) as Vector3;
  const [nx, ny, nz] = dimensions;
  const tree = await openTreeHere(mesh);
  const data = new Float32Array(nx * ny * nz);
  const points = new Float64Array(3 * nx * ny);
  for (let z = 0; z < nz; z++) {
    for (let i = 0; i < nx * ny; i++) {
      points[3 * i] = originMm[0] + (i % nx) * voxelMm;
      points[3 * i + 1] = originMm[1] + Math.floor(i / nx) * voxelMm;
      points[3 * i + 2] = originMm[2] + z * voxelMm;
    }
    const { distancesMm } = await tree.distances({ points, limitMm: Number.POSITIVE_INFINITY });
    for (let i = 0; i < nx * ny; i++) data[z * nx * ny + i] = -distancesMm[i];
  }
  return {
    dimensions,
    voxelSizeMm: [voxelMm, voxelMm, voxelMm] as Vector3,
    originMm,
    directions: identityDirections(),
    dataType: 'float32' as const,
    data,
  };
}
