import { writeNrrd } from '#formats/nrrd/write-nrrd.ts';
import { openRadiographs, type RadiographHints } from '#formats/radiographs/open-radiographs.ts';
import {
  bytesPerVoxel,
  identityDirections,
  makeSlabs,
  type SlabSource,
  type Volume,
} from '#kernels/grid/volume.ts';
import type { StoredFile } from '../results/write-results.ts';
import { darkFileName, flatFileName, packViews, posesFileName } from '../stored-radiographs.ts';
import { openVolumeSink, type StoredVolumeSink } from '../volume-sink.ts';
import type { OperationWork } from '../work/work.ts';
import { requireMemory, volumeThumbnail } from './import-volume.ts';
import type { Imported } from './imported.ts';
import type { UploadedFile } from './upload-source.ts';

/** bytes read at once */
const SLAB_BYTES = 32 * 1024 * 1024;

/**
 * Reads radiographs projection by projection into a stack for the reconstruction and the slice viewer, with columns,
 * rows and projections as axes. The means of flat and dark images are stored beside it.
 *
 * @param upTo end of its share of the progress
 */
export async function importRadiographs(
  work: OperationWork,
  { source }: UploadedFile,
  hints: RadiographHints,
  upTo: number,
): Promise<Imported> {
  const { run, blobs } = work;
  const opened = await openRadiographs([source], hints);
  const { pixelSizeMm } = opened;
  const [columns, rows, projections] = opened.projections.grid.dimensions;
  const slabs: SlabSource = {
    ...opened.projections,
    grid: {
      dimensions: [columns, rows, projections],
      voxelSizeMm: [...pixelSizeMm, pixelSizeMm[0]],
      originMm: [0, 0, 0],
      directions: identityDirections(),
    },
  };
  requireMemory({ ...slabs, workingBytes: opened.workingBytes });
  const sink = await openVolumeSink(work, slabs.grid, slabs.dataType);
  await writeSlabs(sink, slabs, run.signal, (share) =>
    run.report(upTo * 0.8 * share, 'Reading the radiographs'),
  );
  const { metadata, ...volume } = await sink.finish((share) =>
    run.report(upTo * (0.8 + 0.2 * share), 'Counting grey values'),
  );
  const files: StoredFile[] = [];
  const images = [
    [flatFileName, opened.flats],
    [darkFileName, opened.darks],
  ] as const;
  const store = async (fileName: string, volume: Volume) => {
    const mediaType = 'application/x-nrrd';
    const { key, sizeBytes, sha256 } = await blobs.put('files', writeNrrd(makeSlabs(volume)), mediaType);
    files.push({ fileName, mediaType, sizeBytes, sha256, blobKey: key });
  };
  for (const [fileName, image] of images) {
    if (image)
      await store(fileName, {
        ...slabs.grid,
        dimensions: [columns, rows, 1],
        dataType: 'float32',
        data: image.mean,
      });
  }
  if (opened.views)
    await store(posesFileName, {
      ...slabs.grid,
      dimensions: [12, projections, 1],
      dataType: 'float64',
      data: packViews(opened.views),
    });
  const facts = {
    projections,
    detector: [columns, rows] satisfies [number, number],
    pixelSizeMm: pixelSizeMm[0] === pixelSizeMm[1] ? pixelSizeMm[0] : pixelSizeMm,
    geometry: opened.geometry,
    flats: opened.flats?.count ?? 0,
    darks: opened.darks?.count ?? 0,
    values: opened.values,
    ...(opened.flatLevel === null ? {} : { flatLevel: opened.flatLevel }),
    ...(opened.darkLevel === null ? {} : { darkLevel: opened.darkLevel }),
  };
  return {
    describe: (kept) => ({
      kind: 'radiographs',
      metadata: { ...metadata, ...facts, format: opened.format, ...kept },
    }),
    volume,
    files,
    thumbnailPng: { bytes: await volumeThumbnail(await sink.reader()), onlyWhenNone: true },
    algorithms: { pyramid: '1', histogram: '1' },
    warnings: opened.warnings,
  };
}

/** Copies all planes of the source to the sink. */
async function writeSlabs(
  sink: StoredVolumeSink,
  slabs: SlabSource,
  signal: AbortSignal,
  report: (share: number) => void,
): Promise<void> {
  const [width, height, depth] = slabs.grid.dimensions;
  const planes = Math.max(1, Math.floor(SLAB_BYTES / (width * height * bytesPerVoxel[slabs.dataType])));
  try {
    for (let z = 0; z < depth; z += planes) {
      signal.throwIfAborted();
      await sink.append(await slabs.readSlab(z, Math.min(depth, z + planes), signal));
      report(Math.min(depth, z + planes) / depth);
    }
  } catch (error) {
    await sink.discard();
    throw error;
  }
}
