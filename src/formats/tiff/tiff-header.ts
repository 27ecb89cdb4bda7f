import { bytesPerVoxel, voxelArray } from '#kernels/grid/volume.ts';
import { type ByteSource, buffered, type Sources } from '../bytes/byte-source.ts';
import { checkUnpacking } from '../bytes/inflate.ts';
import { malformed, unsupported } from '../format-error.ts';
import { isTurned } from '../volume/inner-frame.ts';
import { rawSlabs } from '../volume/raw-slabs.ts';
import {
  checkedDimensions,
  type ImportHints,
  type ReadSlab,
  type VolumeHeader,
} from '../volume/volume-header.ts';
import { type Directory, readDescription, readDirectories, readNumber } from './directory.ts';
import { maximumRatio, type PageLayout, readChunks, readPageLayout, rowBytes } from './page-layout.ts';
import { readPage } from './read-page.ts';
import { isPrinterPixel, readImageJ, readOmeXml, type StackMetadata } from './stack-metadata.ts';
import { tag } from './tags.ts';

/** Contents of one TIFF file: its full-size pages and their meaning from the metadata. */
interface TiffPages {
  first: PageLayout;
  pages: Directory[];
  metadata?: StackMetadata;
  /** mm per pixel along x and y from the resolution tags; absent when they have no unit */
  pixelSizeMm?: [number, number];
  warnings: string[];
}

const unitMm: Record<number, number> = { 2: 25.4, 3: 10 };

async function openPages(source: ByteSource): Promise<TiffPages> {
  const directories = await readDirectories(buffered(source));
  const warnings: string[] = [];
  const pages: Directory[] = [];
  for (const directory of directories) {
    const subfile = directory.fields.has(tag.newSubfileType)
      ? await readNumber(directory, tag.newSubfileType, 0)
      : 0;
    if ((subfile & 5) === 0) pages.push(directory);
  }
  if (pages.length < directories.length) {
    warnings.push(
      `${directories.length - pages.length} pages of ${source.name} are smaller copies or masks and were left out.`,
    );
  }
  const [page] = pages;
  if (!page) throw malformed(`${source.name} has only thumbnails and masks, no full-size page.`);
  const first = await readPageLayout(page);
  if (first.palette)
    warnings.push(`${source.name} has a colour table; the numbers were read, not the colours.`);
  const description = await readDescription(page);
  const resolution = {
    x: await readNumber(page, tag.xResolution),
    y: await readNumber(page, tag.yResolution),
  };
  const metadata =
    readImageJ(description, resolution, source.name) ?? readOmeXml(description, pages.length, source.name);
  const mm = unitMm[await readNumber(page, tag.resolutionUnit, 2)];
  const size = [resolution.x, resolution.y].map((perUnit) => (mm && perUnit ? mm / perUnit : Number.NaN));
  const isStated = size.every((value) => Number.isFinite(value) && !isPrinterPixel(value));
  const pixelSizeMm = isStated ? (size as [number, number]) : undefined;
  return { first, pages, metadata, pixelSizeMm, warnings };
}

/** Checks that a page matches the first one of its stack. */
function checkSame(first: PageLayout, page: PageLayout): void {
  const describe = (p: PageLayout) => `${p.shown.width} × ${p.shown.height} pixels of ${p.dataType}`;
  if (describe(first) !== describe(page)) {
    const at = (p: PageLayout) => `${p.directory.file.source.name}, page ${p.directory.page}`;
    throw malformed(
      `${at(page)} has ${describe(page)}, but ${at(first)} has ${describe(first)}; all slices of a volume must agree.`,
    );
  }
}

/** A strip or tile packed and unpacked, plus the page unless it is a single strip. */
function countWorkingBytes(layout: PageLayout): number {
  const chunk = rowBytes(layout.chunkWidth, layout.bits) * layout.chunkHeight;
  const page = layout.width * layout.height * bytesPerVoxel[layout.dataType];
  return 2 * chunk + (chunk < page ? page : 0);
}

/** A slab from single pages, in order. */
function pageSlabs(first: PageLayout, readLayout: (z: number) => Promise<PageLayout>): ReadSlab {
  const plane = first.shown.width * first.shown.height;
  const readPlane = async (z: number, signal: AbortSignal | undefined) => {
    signal?.throwIfAborted();
    const layout = await readLayout(z);
    checkSame(first, layout);
    return readPage(layout, signal);
  };
  return async (zStart, zEnd, signal) => {
    // Pages may have hundreds of megabytes, so a single one is not copied.
    if (zEnd - zStart === 1) return readPlane(zStart, signal);
    const slab = voxelArray(first.dataType, (zEnd - zStart) * plane);
    for (let z = zStart; z < zEnd; z++) slab.set(await readPlane(z, signal), (z - zStart) * plane);
    return slab;
  };
}

/**
 * A volume from one multi-page TIFF, or from several single-page files in order of z.
 *
 * For a stack of files the first and last page are checked at once, the others when they are read.
 */
export async function tiffHeader(sources: Sources, hints: ImportHints): Promise<VolumeHeader> {
  const opened = await openPages(sources[0]);
  const { first, metadata } = opened;
  const warnings = [...opened.warnings];
  const header =
    sources.length > 1
      ? await joinFiles(sources, opened)
      : await onePagedFile(sources[0], opened, hints, warnings);
  const dimensions = checkedDimensions(
    [first.shown.width, first.shown.height, header.slices],
    first.dataType,
    sources[0].name,
  );
  checkPackedSize(sources, first, header.slices);
  const upright = <Value>([x, y, z]: readonly [Value, Value, Value]): [Value, Value, Value] =>
    first.turn.exchanged ? [y, x, z] : [x, y, z];
  const voxelSizeMm = hints.voxelSizeMm ?? (metadata?.voxelSizeMm && upright(metadata.voxelSizeMm));
  const suggested: Record<string, unknown> = {};
  if (!voxelSizeMm) {
    const [x, y, z] = metadata?.partialVoxelSizeMm ?? [];
    const [px, py] = upright([x ?? opened.pixelSizeMm?.[0], y ?? opened.pixelSizeMm?.[1], z]);
    if (px !== undefined && py !== undefined) {
      // For a form, hence without the digits that come from 1/254 · 25.4.
      suggested['voxelSizeMm'] = [px, py, z ?? px].map((value) => Number(value.toPrecision(9)));
    }
  }
  return {
    dimensions,
    dataType: first.dataType,
    voxelSizeMm,
    originMm: metadata?.originMm,
    directions: metadata?.directions,
    warnings,
    missing: voxelSizeMm ? [] : ['voxelSizeMm'],
    suggested,
    workingBytes: countWorkingBytes(first),
    readSlab: header.readSlab,
  };
}

/** Checks that no page claims more than its share of the files' bytes can give, as overlapping pages would. */
function checkPackedSize(sources: Sources, page: PageLayout, slices: number): void {
  const packed = sources.reduce((sum, source) => sum + source.size, 0);
  const { width, height, bits, compression } = page;
  checkUnpacking(sources[0].name, packed, rowBytes(width, bits) * height * slices, maximumRatio[compression]);
}

async function onePagedFile(
  source: ByteSource,
  { first, pages, metadata }: TiffPages,
  hints: ImportHints,
  warnings: string[],
): Promise<{ slices: number; readSlab: ReadSlab }> {
  const bigStack = metadata?.source === 'ImageJ' && pages.length === 1 && metadata.slices > 1;
  if (bigStack) return imageJBigStack(source, first, metadata, hints, warnings);
  const channel = hints.channel ?? 0;
  if (metadata && metadata.channels * metadata.slices * metadata.times <= pages.length) {
    chooseChannel(metadata, channel, source, warnings);
    const { slices } = metadata;
    const order: Directory[] = [];
    for (let z = 0; z < slices; z++) {
      const page = pages[metadata.findPage(channel, z, 0) ?? -1];
      if (!page)
        throw malformed(
          `${source.name}: the ${metadata.source} data refers to a page that is not there (slice ${z + 1}).`,
        );
      order.push(page);
    }
    return { slices, readSlab: await checkedPages(first, order) };
  }
  if (metadata && metadata.channels * metadata.times > 1) {
    throw malformed(
      `${source.name}: the ${metadata.source} data declares ${metadata.channels} channels × ${metadata.slices} slices × ${metadata.times} times, but the file has ${pages.length} pages.`,
    );
  }
  if (metadata && metadata.slices !== pages.length) {
    warnings.push(
      `${source.name}: the ${metadata.source} data declares ${metadata.slices} slices, but the file has ${pages.length} pages; the pages were read.`,
    );
  }
  return { slices: pages.length, readSlab: await checkedPages(first, pages) };
}

/** Reads all layouts now, so that a deviating page is reported before any work begins. */
async function checkedPages(first: PageLayout, order: Directory[]): Promise<ReadSlab> {
  const layouts: PageLayout[] = [];
  for (const directory of order) {
    const layout = directory === first.directory ? first : await readPageLayout(directory);
    checkSame(first, layout);
    layouts.push(layout);
  }
  return pageSlabs(first, async (z) => layouts[z] ?? first);
}

function chooseChannel(
  metadata: StackMetadata,
  channel: number,
  source: ByteSource,
  warnings: string[],
): void {
  if (!Number.isInteger(channel) || channel < 0 || channel >= metadata.channels) {
    throw malformed(
      `${source.name} has ${metadata.channels} channels; channel ${channel} (counted from 0) does not exist.`,
    );
  }
  if (metadata.channels > 1) {
    warnings.push(`${source.name} has ${metadata.channels} channels; channel ${channel + 1} was read.`);
  }
  if (metadata.times > 1)
    warnings.push(`${source.name} has ${metadata.times} points in time; the first was read.`);
}

/** ImageJ writes stacks beyond 4 GiB as one page followed by the planes of all others. */
async function imageJBigStack(
  source: ByteSource,
  first: PageLayout,
  metadata: StackMetadata,
  hints: ImportHints,
  warnings: string[],
): Promise<{ slices: number; readSlab: ReadSlab }> {
  const { channels, slices, width, height, dataType } = { ...metadata, ...first };
  if (
    first.compression !== 'none' ||
    first.tiled ||
    isTurned(first.turn) ||
    first.bits !== 8 * bytesPerVoxel[dataType] ||
    first.whiteIsZero
  ) {
    throw unsupported(
      `${source.name} declares ${slices} slices, but has one page, which is compressed or turned; save it as a plain stack.`,
    );
  }
  const channel = hints.channel ?? 0;
  chooseChannel(metadata, channel, source, warnings);
  const [chunk] = await readChunks(first);
  const order = first.directory.file.littleEndian ? 'little' : 'big';
  const readPlanes = rawSlabs(
    source,
    chunk?.offset ?? 0,
    [width, height, channels * slices],
    dataType,
    order,
  );
  if (channels === 1) return { slices, readSlab: readPlanes };
  const plane = width * height;
  return {
    slices,
    readSlab: async (zStart, zEnd, signal) => {
      const slab = voxelArray(dataType, (zEnd - zStart) * plane);
      for (let z = zStart; z < zEnd; z++) {
        const page = metadata.findPage(channel, z, 0) ?? 0;
        slab.set(await readPlanes(page, page + 1, signal), (z - zStart) * plane);
      }
      return slab;
    },
  };
}

async function joinFiles(
  sources: Sources,
  opened: TiffPages,
): Promise<{ slices: number; readSlab: ReadSlab }> {
  const readLayout = async (z: number): Promise<PageLayout> => {
    const source = sources[z] ?? sources[0];
    const { first, pages } = z === 0 ? opened : await openPages(source);
    if (pages.length > 1) {
      throw unsupported(
        `${source.name} has ${pages.length} pages; a stack of files needs one page in each, or supply one file with all pages.`,
      );
    }
    return first;
  };
  await readLayout(0);
  checkSame(opened.first, await readLayout(sources.length - 1));
  return { slices: sources.length, readSlab: pageSlabs(opened.first, readLayout) };
}
