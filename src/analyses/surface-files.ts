/** The determined surface of a volume as a data object: its metadata and the levels of its bricks. */
import { z } from 'zod';
import type { ScanQuality } from '#contract/metadata/scan-quality.ts';
import { OneLevelReason } from '#contract/metadata/surface.ts';
import { Dimensions } from '#contract/metadata/volume.ts';
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { scaleField } from '#kernels/grid/level-field.ts';
import { type DataType, type Grid, makeSlabs, mapVector, voxelArray } from '#kernels/grid/volume.ts';
import type { BrickLevels } from '#kernels/levels/fit-levels.ts';
import type { ResultFile, StoredSurface } from './analysis.ts';
import type { FoundLevel, SurfaceSettings } from './found-level.ts';
import { jsonFile } from './number-files.ts';

const Peaks = z.object({ air: z.number(), material: z.number(), iso50: z.number() });
const Histogram = z.object({ min: z.number(), max: z.number(), counts: z.array(z.number()) });

/** Contents of the file, with all digits: everything except the levels of the bricks. */
const SurfaceRecord = z.object({
  level: z.object({
    isoValue: z.number(),
    air: z.number(),
    peaks: Peaks.nullable(),
    toldBy: z.enum(['depth', 'walls', 'nothing']).optional(),
    contrastWithin: z.number().optional(),
    blurVoxels: z.number().optional(),
  }),
  local: z
    .object({
      nodes: Dimensions,
      brickCells: z.int(),
      air: z.number(),
      material: z.number(),
      localShare: z.number(),
      contrastSpread: z.number(),
      airSpread: z.number(),
      bend: z.number().optional(),
    })
    .optional(),
  oneLevel: OneLevelReason.optional(),
  materialGrays: z.array(z.number()).optional(),
  quiet: z.object({ histogram: Histogram, range: z.tuple([z.number(), z.number()]) }).optional(),
});

const recordName = 'surface.json';
/** Grids that cover the scan, as NRRD for any program. */
const brickFiles = {
  air: { fileName: 'air.nrrd', dataType: 'float32' },
  contrast: { fileName: 'contrast.nrrd', dataType: 'float32' },
  told: { fileName: 'told.nrrd', dataType: 'uint8' },
} as const satisfies { [Name in keyof BrickLevels]?: { fileName: string; dataType: DataType } };
type BrickField = keyof typeof brickFiles;
const brickFields = Object.keys(brickFiles) as BrickField[];

interface Facts {
  judged: ScanQuality | null;
  /** name → version */
  algorithms: Record<string, string>;
}

/** @param grid of the scan */
export async function writeSurface(
  found: FoundLevel,
  { surface, noiseFilter = 'none' }: SurfaceSettings,
  grid: Grid,
  { judged, algorithms }: Facts,
): Promise<StoredSurface> {
  const { level, local, oneLevel, materialGrays, quiet } = found;
  const { bricks, field: _, ...means } = local ?? {};
  const levels = bricks && { nodes: bricks.nodes, brickCells: bricks.brickCells, ...means };
  const record = jsonFile(recordName, { level, local: levels, oneLevel, materialGrays, quiet });
  const metadata: StoredSurface['metadata'] = {
    surfaceMode: surface.mode,
    noiseFilter,
    levelFilter: quiet ? 'median' : 'none',
    isoValue: local ? (local.air + local.material) / 2 : level.isoValue,
    airGray: local?.air ?? level.air,
    materialGray: local?.material ?? level.peaks?.material ?? null,
    toldBy: local ? 'depth' : (level.toldBy ?? 'histogram'),
    ...(level.contrastWithin === undefined ? {} : { contrastWithin: level.contrastWithin }),
    ...(materialGrays ? { materialGrays } : {}),
    ...(local && bricks
      ? {
          localLevels: {
            ...describeLevels(local),
            nodes: bricks.nodes,
            brickVoxels: bricks.brickCells,
          },
        }
      : {}),
    ...(oneLevel ? { oneLevel } : {}),
    contrastToNoise: judged?.contrastToNoise ?? null,
    blurVoxels: judged?.blurVoxels ?? level.blurVoxels ?? null,
    algorithms,
  };
  const files = bricks ? await Promise.all(brickFields.map((name) => writeBricks(name, bricks, grid))) : [];
  return { metadata, files: [record, ...files] };
}

/** Summary of local levels for the metadata. */
export const describeLevels = ({
  air,
  material,
  localShare,
  contrastSpread,
  airSpread,
}: Omit<NonNullable<FoundLevel['local']>, 'bricks' | 'field'>) => ({
  airGray: air,
  materialGray: material,
  localShare,
  contrastSpread,
  airSpread,
});

async function writeBricks(name: BrickField, bricks: BrickLevels, grid: Grid): Promise<ResultFile> {
  const { fileName, dataType } = brickFiles[name];
  const { nodes, brickCells } = bricks;
  const { voxelSizeMm, originMm, directions } = grid;
  const toMiddle = voxelSizeMm.map((edge) => ((brickCells - 1) / 2) * edge);
  const data = voxelArray(dataType, bricks[name].length);
  data.set(bricks[name]);
  const source = makeSlabs({
    dimensions: nodes,
    voxelSizeMm: mapVector(voxelSizeMm, (edge) => brickCells * edge),
    originMm: mapVector(originMm, (place, k) =>
      toMiddle.reduce((sum, far, axis) => sum + far * (directions[3 * axis + k] ?? 0), place),
    ),
    directions,
    dataType,
    data,
  });
  const parts: Uint8Array[] = [];
  for await (const part of writeNrrd(source)) parts.push(part);
  return { fileName, mediaType: 'application/octet-stream', parts };
}

/** @throws Error when the files were not written by `writeSurface` */
export function readSurface({ files }: StoredSurface): FoundLevel {
  const readBytes = (name: string) => {
    const file = files.find(({ fileName }) => fileName === name);
    if (!file) throw new Error(`a stored surface without ${name}`);
    return joinBytes(file.parts);
  };
  const record = SurfaceRecord.parse(JSON.parse(new TextDecoder().decode(readBytes(recordName))));
  const { local, ...rest } = record;
  if (!local) return rest as FoundLevel;
  const { nodes, brickCells, ...means } = local;
  const count = nodes[0] * nodes[1] * nodes[2];
  // The values follow the header, uncompressed.
  const tail = (name: BrickField, bytes: number) => readBytes(brickFiles[name].fileName).slice(-bytes).buffer;
  const bricks: BrickLevels = {
    nodes,
    brickCells,
    air: new Float32Array(tail('air', 4 * count)),
    contrast: new Float32Array(tail('contrast', 4 * count)),
    told: new Uint8Array(tail('told', count)),
  };
  return { ...rest, local: { bricks, field: scaleField(bricks), ...means } } as FoundLevel;
}
