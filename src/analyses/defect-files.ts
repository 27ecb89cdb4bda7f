import { glbParts } from '#formats/glb/write-glb.ts';
import type { Defect } from '#kernels/integrity/describe-defect.ts';
import { joinDefects } from '#kernels/integrity/join-defects.ts';
import type { ResultFile } from './analysis.ts';
import { tableFile } from './number-files.ts';

/** A defect with the number it has in all files and views: from 1, the largest first. */
export interface NumberedDefect extends Defect {
  id: number;
}

type Column = [name: string, value: (defect: NumberedDefect) => string | number | boolean | null];
const axes = [
  ['X', 0],
  ['Y', 1],
  ['Z', 2],
] as const;

const columns: Column[] = [
  ['id', (d) => d.id],
  ['kind', (d) => d.kind],
  ['volumeMm3', (d) => d.volumeMm3],
  ['volumeLowMm3', (d) => d.volumeBandMm3[0]],
  ['volumeHighMm3', (d) => d.volumeBandMm3[1]],
  ['probability', (d) => d.probability],
  ['depth', (d) => d.depth],
  ['significance', (d) => d.significance],
  ['countedVolumeMm3', (d) => d.countedVolumeMm3],
  ['voxels', (d) => d.voxels],
  ['equivalentDiameterMm', (d) => d.equivalentDiameterMm],
  ['enclosingDiameterMm', (d) => d.enclosingDiameterMm],
  ['areaMm2', (d) => d.areaMm2],
  ['openingMm', (d) => d.openingMm],
  ['sphericity', (d) => d.sphericity],
  ['compactness', (d) => d.compactness],
  ...axes.map(([axis, k]): Column => [`center${axis}Mm`, (d) => d.centerMm[k]]),
  ...axes.flatMap(([axis, k]): Column[] => [
    [`min${axis}Mm`, (d) => d.boundsMm.min[k]],
    [`max${axis}Mm`, (d) => d.boundsMm.max[k]],
  ]),
  ['distanceToSurfaceMm', (d) => d.distanceToSurfaceMm],
  ...axes.map(([axis, k]): Column => [`projectedArea${axis}Mm2`, (d) => d.projectedAreasMm2[k]]),
  ['surfaceConnected', (d) => d.surfaceConnected],
  ['gapLike', (d) => d.gapLike],
  ['cutAt', (d) => d.cutAt],
  ['belowDetectionLimit', (d) => d.belowDetectionLimit],
];

/** One row per defect; lengths in mm, areas in mm², volumes in mm³, as in the column names. */
export const defectsFile = (defects: readonly NumberedDefect[]): ResultFile =>
  tableFile(
    'defects.csv',
    columns.map(([name]) => name),
    defects.map((defect) => columns.map(([, value]) => value(defect))),
  );

/** All defects as one surface; defects without a surface become bodies of equal volume. Null without defects. */
export function defectsGlb(...defects: Parameters<typeof joinDefects>): ResultFile | null {
  const mesh = joinDefects(...defects);
  return (
    mesh && {
      fileName: 'defects.glb',
      mediaType: 'model/gltf-binary',
      parts: glbParts(mesh, { name: 'defects', color: [0.8, 0.2, 0.15] }),
    }
  );
}
