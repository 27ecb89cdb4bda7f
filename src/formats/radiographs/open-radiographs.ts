/** A set of radiographs: projections, correction images, and the scan geometry. */
import { bytesPerVoxel, type SlabSource } from '#kernels/grid/volume.ts';
import type { GeometryDescription } from '#kernels/reconstruction/description.ts';
import type { View } from '#kernels/reconstruction/geometry.ts';
import { hasContent, type NamedFile, openArchives } from '../archives.ts';
import { type ByteSource, nameSources, type Sources } from '../bytes/byte-source.ts';
import { incomplete, type MissingField, malformed } from '../format-error.ts';
import { compareNaturally } from '../natural-order.ts';
import { type OpenedVolume, openPlanes } from '../open-volume.ts';
import type { ImportHints } from '../volume/volume-header.ts';
import { readAngles, readScanDescription } from './read-geometry.ts';
import type { NamedPictures, ScanDescription } from './scan-description.ts';

/** What the user states about radiographs; overrides the files. */
export interface RadiographHints extends ImportHints {
  beam?: GeometryDescription['beam'];
  sourceToAxisMm?: number;
  sourceToDetectorMm?: number;
  pixelSizeMm?: number;
  totalAngleDeg?: number;
  turntable?: 'counterclockwise' | 'clockwise';
}

export interface CorrectionImage {
  /** mean over the images, in detector order */
  mean: Float32Array<ArrayBuffer>;
  count: number;
}

export interface OpenedRadiographs {
  /** planes are projections; the voxel size along the third axis is meaningless */
  projections: SlabSource;
  /** memory of the reader besides the returned planes */
  workingBytes: number;
  format: string;
  geometry: GeometryDescription;
  /** poses of each projection in the part's frame, if source and detector did not simply rotate */
  views: View[] | null;
  pixelSizeMm: [number, number];
  values: 'counts' | 'lineIntegrals';
  flats: CorrectionImage | null;
  darks: CorrectionImage | null;
  flatLevel: number | null;
  darkLevel: number | null;
  warnings: string[];
}

const textBytes = 8 << 20;
/** Total size of text files read to find the geometry. */
const allTextBytes = 16 << 20;
const flatName = /(^|[/_. -])(flats?|flatfields?|whites?|ff|openbeam|i0)([/_. -]|\d|$)/i;
const darkName = /(^|[/_. -])(darks?|darkfields?|df|offsets?)([/_. -]|\d|$)/i;
/** Names of text files that may describe a scan. */
const metadataName = /\.json$|angle[^/]*\.(txt|csv)$/i;
const pictureName = /\.(tiff?|raw|bin|dat|img|nrrd|nhdr|mhd|mha)$/i;

/** Whether an upload is a set of radiographs, i.e. contains a file that describes a scan. */
export async function holdsRadiographs(sources: readonly ByteSource[]): Promise<boolean> {
  const { description } = await sorted(sources);
  return description !== null;
}

interface Sorted {
  pictures: NamedFile[];
  flats: NamedFile[];
  darks: NamedFile[];
  description: ScanDescription | null;
}

async function sorted(sources: readonly ByteSource[]): Promise<Sorted> {
  const files = (await openArchives(sources)).filter(hasContent);
  files.sort((a, b) => compareNaturally(a.path, b.path));
  const isText = ({ path }: NamedFile) => /\.(json|txt|csv)$/i.test(path);
  const pictures = files.filter(
    (file) => !isText(file) && (file.archive === undefined || pictureName.test(file.path)),
  );
  let description: ScanDescription | null = null;
  let named: Omit<Sorted, 'description'> | undefined;
  const others: ScanDescription[] = [];
  let left = allTextBytes;
  const metadataFiles = files.filter(
    ({ path, source }) => metadataName.test(path) && source.size <= textBytes,
  );
  for (const file of metadataFiles) {
    left -= file.source.size;
    if (left < 0) break;
    const text = new TextDecoder().decode(await file.source.read(0, file.source.size));
    const found = /json$/i.test(file.path) ? readScanDescription(text) : undefined;
    // The first description has priority: a scenario and its metadata complement each other.
    if (found) {
      const own = found.files && findNamed(pictures, file.path, found.files);
      // Describes missing pictures, such as those of another step of the same scan.
      if (found.files && (!own || named)) {
        others.push(found);
        continue;
      }
      named ??= own;
      description = { ...defined(found), ...defined(description ?? {}) };
    }
    const angles = /angle/i.test(file.path) && !found ? readAngles(text) : undefined;
    if (angles) description = { totalAngleDeg: 0, ...defined(description ?? {}), anglesDeg: angles };
  }
  if (named) return { ...named, description };
  // The pictures were renamed: the rest of the descriptions still applies.
  for (const found of others) description = { ...defined(found), ...defined(description ?? {}) };
  return { ...sortByName(pictures), description };
}

function sortByName(files: readonly NamedFile[]): Omit<Sorted, 'description'> {
  const sorted: Omit<Sorted, 'description'> = { pictures: [], flats: [], darks: [] };
  for (const file of files) {
    const kind = darkName.test(file.path) ? 'darks' : flatName.test(file.path) ? 'flats' : 'pictures';
    sorted[kind].push(file);
  }
  return sorted;
}

/** The pictures that a description names; undefined when its projections are not among the files. */
function findNamed(
  files: readonly NamedFile[],
  describedIn: string,
  { projections, flats, darks }: NamedPictures,
): Omit<Sorted, 'description'> | undefined {
  const find = (path: string | undefined) => {
    if (path === undefined) return [];
    // Repacked scans may have all files in one folder.
    const [inPlace, besides] = [path, path.replace(/^.*[\\/]/, '')].map((each) => {
      const matches = matchPath(describedIn, each);
      return files.filter((file) => matches.test(file.path));
    });
    return inPlace?.length ? inPlace : (besides ?? []);
  };
  const pictures = find(projections);
  return pictures.length > 0 ? { pictures, flats: find(flats), darks: find(darks) } : undefined;
}

/** Matches files of the archive against a path stated in a file of the same archive. */
function matchPath(describedIn: string, path: string): RegExp {
  const parts = describedIn.split('/').slice(0, -1);
  for (const part of path.split(/[\\/]/)) {
    if (part === '..') parts.pop();
    else if (part !== '.' && part !== '') parts.push(part);
  }
  const escaped = parts.join('/').replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  // A single number, as in file patterns: several adjacent ones would take exponential time to match.
  return new RegExp(`^${escaped.replace(/%\d*[di]/, '\\d+')}$`);
}

const defined = <Value extends object>(value: Value): Partial<Value> =>
  Object.fromEntries(Object.entries(value).filter(([, each]) => each !== undefined)) as Partial<Value>;

/**
 * Opens radiographs for reading projection by projection: TIFF slices or a multi-page TIFF, RAW, NRRD or MetaImage, in
 * a ZIP with a JSON of the geometry and optionally flat and dark images with such names.
 *
 * @throws FormatError, INPUT_INCOMPLETE with `missing` when the geometry is incomplete
 */
export async function openRadiographs(
  sources: readonly ByteSource[],
  hints: RadiographHints = {},
): Promise<OpenedRadiographs> {
  const files = await sorted(sources);
  const where = nameSources(sources);
  const [first, ...others] = files.pictures;
  if (!first) throw malformed(`${where} holds no projections (TIFF, RAW, NRRD or MetaImage).`);
  const description: ScanDescription = { ...files.description };
  const opened = await openPictures([first, ...others], hints, description);
  const [columns, rows, projections] = opened.grid.dimensions;
  const { geometry, pixelSizeMm } = completed(description, hints, opened, where);
  if (geometry.anglesDeg && geometry.anglesDeg.length !== projections) {
    throw malformed(
      `${where} holds ${projections} projections, but ${geometry.anglesDeg.length} angles: there must be one for each.`,
    );
  }
  const { projections: statedCount = projections, anglesDeg } = description;
  if (!anglesDeg && statedCount !== projections) {
    throw malformed(
      `${where} holds ${projections} projections, but the scan has ${statedCount}: the angles of the ones that are here are not known. Supply all of them, or the angle of each (anglesDeg).`,
    );
  }
  const size = [columns, rows] as const;
  return {
    projections: opened.slabs,
    workingBytes: opened.workingBytes,
    format: opened.format,
    geometry,
    views: description.views ?? null,
    pixelSizeMm,
    values: description.values ?? 'counts',
    flats: await meanImage(files.flats, 'flat', size, hints, description),
    darks: await meanImage(files.darks, 'dark', size, hints, description),
    flatLevel: description.flatLevel ?? null,
    darkLevel: description.darkLevel ?? null,
    warnings: opened.warnings.filter((text) => !/voxel size/i.test(text)),
  };
}

/** The files as one stack; the spacing between projections is meaningless, so it is not requested. */
async function openPictures(
  [first, ...others]: [NamedFile, ...NamedFile[]],
  { dimensions, dataType, byteOrder, headerBytes }: RadiographHints,
  { raw }: ScanDescription,
): Promise<OpenedVolume> {
  const isRaw = /\.(raw|bin|dat|img)$/i.test(first.path);
  const layout = isRaw ? { ...raw, ...defined({ dimensions, dataType, byteOrder, headerBytes }) } : {};
  const sources: Sources = [first.source, ...others.map(({ source }) => source)];
  return openPlanes(sources, { ...layout, voxelSizeMm: [1, 1, 1] });
}

async function meanImage(
  files: NamedFile[],
  name: string,
  [columns, rows]: readonly [number, number],
  hints: RadiographHints,
  description: ScanDescription,
): Promise<CorrectionImage | null> {
  if (files.length === 0) return null;
  const sum = new Float64Array(columns * rows);
  let count = 0;
  for (const file of files) {
    const raw = description.raw && {
      ...description.raw,
      dimensions: rawSize(file, columns, rows, description, hints),
    };
    const { grid, slabs } = await openPictures([file], { ...hints, dimensions: undefined }, { raw });
    const [width, height, pages] = grid.dimensions;
    if (width !== columns || height !== rows) {
      throw malformed(
        `The ${name} image ${file.path} has ${width} × ${height} pixels, the projections have ${columns} × ${rows}.`,
      );
    }
    for (let page = 0; page < pages; page++) {
      const values = await slabs.readSlab(page, page + 1);
      for (const [i, value] of values.entries()) sum[i] = (sum[i] ?? 0) + value;
      count++;
    }
  }
  return { mean: Float32Array.from(sum, (value) => value / count), count };
}

/** Number of images in a RAW file from its size. */
function rawSize(
  file: NamedFile,
  columns: number,
  rows: number,
  { raw }: ScanDescription,
  hints: RadiographHints,
): [number, number, number] {
  const type = hints.dataType ?? raw?.dataType ?? 'uint16';
  const header = hints.headerBytes ?? raw?.headerBytes ?? 0;
  return [
    columns,
    rows,
    Math.max(1, Math.floor((file.source.size - header) / (columns * rows * bytesPerVoxel[type]))),
  ];
}

function completed(
  description: ScanDescription,
  hints: RadiographHints,
  { grid }: OpenedVolume,
  where: string,
): { geometry: GeometryDescription; pixelSizeMm: [number, number] } {
  const {
    flatLevel: _flat,
    darkLevel: _dark,
    values: _values,
    raw: _raw,
    projections: _projections,
    files: _files,
    views: _views,
    pixelSizeMm: statedPixelSizeMm,
    ...stated
  } = description;
  const { beam, sourceToAxisMm, sourceToDetectorMm, totalAngleDeg, turntable } = hints;
  const own = defined({ beam, sourceToAxisMm, sourceToDetectorMm, totalAngleDeg, turntable });
  const geometry = { ...stated, ...own };
  const pixelSizeMm =
    hints.pixelSizeMm === undefined ? statedPixelSizeMm : ([hints.pixelSizeMm, hints.pixelSizeMm] as const);
  // A single stated distance implies a cone beam; without any the beam is unknown.
  const beamKnown = geometry.beam ?? (geometry.sourceToDetectorMm === undefined ? undefined : 'cone');
  const missing: MissingField[] = [];
  if (beamKnown === undefined) missing.push('beam');
  if (beamKnown !== 'parallel') {
    if (geometry.sourceToAxisMm === undefined) missing.push('sourceToAxisMm');
    if (geometry.sourceToDetectorMm === undefined) missing.push('sourceToDetectorMm');
  }
  if (!pixelSizeMm) missing.push('pixelSizeMm');
  if (geometry.totalAngleDeg === undefined) missing.push('totalAngleDeg');
  if (missing.length > 0) {
    throw incomplete(`${where} holds ${grid.dimensions[2]} radiographs, but`, missing, {
      beam: 'cone',
      totalAngleDeg: 360,
      ...defined({ ...own, beam: beamKnown }),
    });
  }
  if (
    beamKnown !== 'parallel' &&
    !((geometry.sourceToDetectorMm as number) > (geometry.sourceToAxisMm as number))
  ) {
    throw malformed(
      `${where}: the detector is ${geometry.sourceToDetectorMm} mm from the source and the axis ${geometry.sourceToAxisMm} mm; the detector must lie beyond the axis.`,
    );
  }
  const [pixelWidthMm, pixelHeightMm] = pixelSizeMm ?? [];
  const { sourceToAxisMm: axisMm, sourceToDetectorMm: detectorMm } = beamKnown === 'parallel' ? {} : geometry;
  const angleDeg = geometry.anglesDeg ? undefined : geometry.totalAngleDeg;
  checkAboveZero({ axisMm, detectorMm, pixelWidthMm, pixelHeightMm, angleDeg }, where);
  return {
    geometry: { ...geometry, beam: beamKnown } as GeometryDescription,
    pixelSizeMm: [...(pixelSizeMm as [number, number])],
  };
}

const words = {
  axisMm: 'the distance from the source to the axis (sourceToAxisMm)',
  detectorMm: 'the distance from the source to the detector (sourceToDetectorMm)',
  pixelWidthMm: 'the size of a pixel (pixelSizeMm)',
  pixelHeightMm: 'the size of a pixel (pixelSizeMm)',
  angleDeg: 'the angle over which the part was turned (totalAngleDeg)',
};
/** Kilometres, or thousands of turns: more than any scanner has. */
const maxMagnitude = 1e7;

/** @throws FormatError MALFORMED for impossible lengths or angles */
function checkAboveZero(values: Record<keyof typeof words, number | undefined>, where: string): void {
  for (const name of Object.keys(words) as (keyof typeof words)[]) {
    const value = values[name];
    if (value === undefined || (value > 0 && value <= maxMagnitude)) continue;
    throw malformed(`${where}: ${words[name]} is ${value}; a number above 0 would be right.`);
  }
}
