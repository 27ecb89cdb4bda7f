import { formatNumber, formatQuantity } from '#contract/base/format-number.ts';
import { oneLevelReasons, surfaceModes } from '#contract/metadata/surface.ts';
import type { DataObject, SurfaceMetadata, VolumeMetadata } from '#web/api/generated/types.gen.ts';
import { type ValueRow, valueRows } from '#web/ui/value-rows.ts';

/** The main properties of a volume, in this order; the rest is under “All metadata”. */
const ofVolume = [
  'dimensions',
  'voxelSizeMm',
  'dataType',
  'range',
  'isoValue',
  'format',
  'sourceFileName',
] as const satisfies (keyof VolumeMetadata)[];

const percent = (share: number) => formatQuantity(100 * share, '%');
const grey = (value: number) => formatNumber(value, 0);

const toldBy: Record<SurfaceMetadata['toldBy'], string> = {
  depth: 'places deep in the part',
  walls: 'profiles of its thin walls',
  nothing: 'nothing: the part is too thin',
  histogram: 'histogram',
};

/** How a surface was determined and how well the scan defines it, in words. */
function surfaceRows({
  surfaceMode,
  oneLevel,
  localLevels,
  isoValue,
  airGray,
  materialGray,
  ...surface
}: SurfaceMetadata): ValueRow[] {
  const rows: [label: string, value: string | null][] = [
    ['Setting', surfaceModes[surfaceMode]],
    [
      'Levels',
      localLevels ? `local, in bricks of ${localLevels.brickVoxels} voxels` : 'one for the whole part',
    ],
    ['Reason', oneLevel ? oneLevelReasons[oneLevel] : null],
    [localLevels ? 'Surface at, mean' : 'Surface at', `grey value ${grey(isoValue)}`],
    ['Volume', surface.part ? formatQuantity(surface.part.volumeMm3, 'mm³') : null],
    ['Area', surface.part ? formatQuantity(surface.part.areaMm2, 'mm²') : null],
    ['Air', `grey value ${grey(airGray)}`],
    ['Material', materialGray === null ? null : `grey value ${grey(materialGray)}`],
    ['Material from', toldBy[surface.toldBy]],
    ['Local levels', localLevels ? `${percent(localLevels.localShare)} of the surface` : null],
    ['Contrast varies by', localLevels ? percent(localLevels.contrastSpread) : null],
    ['Air varies by', localLevels ? `${percent(localLevels.airSpread)} of the contrast` : null],
    ['Materials', surface.materialGrays ? `grey values ${surface.materialGrays.map(grey).join(', ')}` : null],
    ['Noise filter', surface.noiseFilter],
    ['Filter of the levels', surface.levelFilter],
    ['Contrast to noise', surface.contrastToNoise === null ? null : formatNumber(surface.contrastToNoise, 1)],
    ['Edge blur', surface.blurVoxels === null ? null : `${formatNumber(surface.blurVoxels, 2)} voxels`],
  ];
  return rows.flatMap(([label, value]) => (value === null ? [] : [{ label, value }]));
}

/** The main rows of a volume or of a determined surface; all rows of any other kind. */
export function mainRows(dataObject: DataObject): ValueRow[] {
  if (dataObject.kind === 'surface') return surfaceRows(dataObject.metadata);
  if (dataObject.kind !== 'volume') return valueRows(dataObject.metadata);
  const { metadata } = dataObject;
  return valueRows(
    Object.fromEntries(
      ofVolume.flatMap((key) => (metadata[key] === undefined ? [] : [[key, metadata[key]]])),
    ),
  );
}
