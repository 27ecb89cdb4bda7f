import { type ByteSource, readExactly } from './bytes/byte-source.ts';
import { inflateStream } from './bytes/inflate.ts';
import { streamedSource } from './bytes/streamed-source.ts';
import { malformed, unsupported } from './format-error.ts';
import { compareNaturally, gapInNumbers } from './natural-order.ts';
import { readRawSidecar } from './raw/sidecar.ts';
import { looksLikeTiff } from './tiff/tiff-header.ts';
import type { ImportHints, VolumeFormat } from './volume/volume-header.ts';
import { defaultZipLimits, readZipDirectory, type ZipLimits } from './zip/zip-directory.ts';
import { UnpackedCache, zipEntrySource } from './zip/zip-entry-source.ts';

export type MeshFormat = 'stl' | 'ply' | 'obj' | 'glb' | '3mf';
export type CadFormat = 'step' | 'iges' | 'brep';

/** What the files are, once archives are opened. */
export type Recognised = {
  /** the files that count, archives already opened; a header comes first, slices are in order of z */
  sources: ByteSource[];
  warnings: string[];
} & (
  | { content: 'volume'; format: VolumeFormat; gzipped: boolean; hints: ImportHints }
  | { content: 'mesh'; format: MeshFormat }
  | { content: 'cad'; format: CadFormat }
);

export interface NamedFile {
  /** path inside an archive, or the file name */
  path: string;
  source: ByteSource;
  /** the ZIP that it lies in */
  archive?: ByteSource;
}

const extensionOf = (path: string) => /\.([a-z0-9]+)$/i.exec(path)?.[1].toLowerCase() ?? '';
export const junk = /(^|\/)(__MACOSX|\.[^/]*|thumbs\.db|desktop\.ini)(\/|$)/i;
/** Files that come along with data and hold none. */
const companions =
  /\.(txt|md|pdf|json|xml|csv|log|html?|ini|cfg|rtf|docx?|xlsx?|png|jpe?g|gif|sha256|md5|mtl|pca|xtekct|xtekvolume)$/i;
const tiffName = /\.tiff?$/i;
const rawName = /\.(raw|bin|vol|dat|img)$/i;

/**
 * Says what one or several files are, by their content first and their names second. A ZIP is opened: a stack of
 * TIFF slices, a header with its data file, or a single file of any kind is picked out; what computers add by
 * themselves (`__MACOSX`, `.DS_Store`) is ignored.
 *
 * @param hints dimensions make a file of unknown kind RAW
 * @throws FormatError UNSUPPORTED with the name of the kind when it is known but not read
 */
export async function recognise(
  sources: readonly ByteSource[],
  hints: ImportHints = {},
  limits: ZipLimits = defaultZipLimits,
): Promise<Recognised> {
  const files = await openArchives(sources, limits);
  const package3mf = files.find((file) => file.archive && /^3D\/[^/]+\.model$/i.test(file.path))?.archive;
  if (package3mf) return { content: 'mesh', format: '3mf', sources: [package3mf], warnings: [] };
  return choose(files, hints, sources[0].name);
}

/** The files, and those inside of ZIPs; all of them, also what computers add by themselves. */
export async function openArchives(
  sources: readonly ByteSource[],
  limits: ZipLimits = defaultZipLimits,
): Promise<NamedFile[]> {
  if (sources.length === 0) throw malformed('There is no file.');
  const files: NamedFile[] = [];
  for (const source of sources) {
    if (source.size === 0) throw malformed(`${source.name} is empty.`);
    const head = await readExactly(source, 0, Math.min(4, source.size), 'the beginning');
    const isZip = head[0] === 0x50 && head[1] === 0x4b && (head[2] === 3 || head[2] === 5);
    if (!isZip) {
      files.push({ path: source.name, source });
      continue;
    }
    const cache = new UnpackedCache();
    for (const entry of await readZipDirectory(source, limits)) {
      files.push({ path: entry.path, source: zipEntrySource(source, entry, cache), archive: source });
    }
  }
  return files;
}

async function choose(all: NamedFile[], hints: ImportHints, where: string): Promise<Recognised> {
  const files = all.filter((file) => !junk.test(file.path) && file.source.size > 0);
  if (files.length === 0) throw malformed(`${where} holds no file with data.`);
  if (files.length === 1) return identify(files[0].source, hints);

  const headers = files.filter((file) => /\.(nhdr|mhd)$/i.test(file.path));
  if (headers.length > 1) throw severalVolumes(where, headers);
  if (headers.length === 1) {
    const rest = files.filter((file) => file !== headers[0]).map((file) => file.source);
    const found = await identify(headers[0].source, hints);
    return { ...found, sources: [headers[0].source, ...rest] };
  }
  const withData = files.filter((file) => !companions.test(file.path));
  const candidates = withData.length > 0 ? withData : files;
  const slices = candidates.filter((file) => tiffName.test(file.path));
  if (slices.length > 1 && slices.length === candidates.length) return stack(slices, hints, where);
  if (candidates.length > 1) {
    const head = await candidates[0].source.read(0, 1024);
    const foreign = foreignKind(head, byteText(head));
    if (foreign) throw unsupported(`${candidates[0].path} in ${where} is ${foreign}, which is not read.`);
    throw severalVolumes(where, candidates);
  }
  const found = await identify(candidates[0].source, hints);
  if (found.content !== 'volume' || found.format !== 'raw') return found;
  return { ...found, hints: { ...(await sidecarHints(files, candidates[0])), ...hints } };
}

const severalVolumes = (where: string, files: NamedFile[]) =>
  unsupported(
    `${where} holds ${files.length} files that could be meant (${files
      .slice(0, 3)
      .map((file) => file.path)
      .join(', ')}${files.length > 3 ? ', …' : ''}); supply one volume or mesh at a time.`,
  );

function stack(slices: NamedFile[], hints: ImportHints, where: string): Recognised {
  const folders = new Set(slices.map((file) => file.path.split('/').slice(0, -1).join('/')));
  if (folders.size > 1) {
    throw unsupported(`${where} holds TIFF slices in ${folders.size} folders; supply one stack at a time.`);
  }
  const ordered = [...slices].sort((a, b) => compareNaturally(a.path, b.path));
  const gap = gapInNumbers(ordered.map((file) => file.path));
  return {
    content: 'volume',
    format: 'tiff',
    gzipped: false,
    hints,
    sources: ordered.map((file) => file.source),
    warnings: gap ? [gap] : [],
  };
}

/** Our own exports put a JSON beside the RAW; with it nothing has to be typed. */
async function sidecarHints(files: NamedFile[], raw: NamedFile): Promise<ImportHints> {
  for (const file of files) {
    if (extensionOf(file.path) !== 'json' || file.source.size > 1 << 20) continue;
    const text = new TextDecoder().decode(await file.source.read(0, file.source.size));
    const sidecar = readRawSidecar(text);
    if (!sidecar || (sidecar.dataFile !== raw.source.name && files.length > 2)) continue;
    const { dimensions, voxelSizeMm, originMm, directions, dataType, byteOrder, headerBytes } = sidecar;
    return { dimensions, voxelSizeMm, originMm, directions, dataType, byteOrder, headerBytes };
  }
  return {};
}

/** One character a byte; the decoder called latin1 is windows-1252 and would change some. */
const byteText = (head: Uint8Array) => String.fromCharCode(...head);

async function identify(source: ByteSource, hints: ImportHints): Promise<Recognised> {
  const head = await readExactly(source, 0, Math.min(1024, source.size), 'the beginning');
  const volume = (format: VolumeFormat, gzipped = false): Recognised => ({
    content: 'volume',
    format,
    gzipped,
    hints,
    sources: [source],
    warnings: [],
  });
  const mesh = (format: MeshFormat): Recognised => ({
    content: 'mesh',
    format,
    sources: [source],
    warnings: [],
  });
  const cad = (format: CadFormat): Recognised => ({
    content: 'cad',
    format,
    sources: [source],
    warnings: [],
  });
  const text = byteText(head);
  const extension = extensionOf(source.name);

  if (text.startsWith('NRRD0')) return volume('nrrd');
  // A DICOM file may begin as a TIFF, so that both kinds of readers accept it.
  const isDicom = text.slice(128, 132) === 'DICM';
  if (looksLikeTiff(head) && !isDicom) return volume('tiff');
  if (text.startsWith('glTF')) return mesh('glb');
  if (/^ply[ \t]*[\r\n]/.test(text)) return mesh('ply');
  if (text.trimStart().startsWith('ISO-10303-21')) return cad('step');
  if (/^\s*(DBRep_DrawableShape|CASCADE Topology)/.test(text)) return cad('brep');
  if (isNifti(text)) return volume('nifti');
  const foreign = foreignKind(head, text);
  if (foreign) throw unsupported(`${source.name} is ${foreign}, which is not read.`);
  if (head[0] === 0x1f && head[1] === 0x8b)
    return gzipped(source, volume('raw', true), volume('nifti', true));
  if (/^(\s*[A-Za-z]+\s*=[^\n]*\n)+/.test(text) && /(^|\n)\s*(NDims|DimSize|ObjectType)\s*=/.test(text))
    return volume('metaimage');
  if (extension === 'mha' || extension === 'mhd') return volume('metaimage');
  if (/^\s*solid[\s\S]*?(facet|endsolid)/i.test(text)) return mesh('stl');
  if (extension === 'stl' || isBinaryStl(head, source.size)) return mesh('stl');
  if (extension === 'obj') return mesh('obj');
  if (extension === 'ply') return mesh('ply');
  if (extension === 'igs' || extension === 'iges' || /^.{72}S *1 *[\r\n]/.test(text)) return cad('iges');
  if (rawName.test(source.name) || hints.dimensions) return volume('raw');
  if (tiffName.test(source.name))
    throw malformed(`${source.name} does not begin as a TIFF file ("II" or "MM" and 42 or 43).`);
  throw unsupported(
    `${source.name} is of no known kind. NRRD, MetaImage, TIFF, NIfTI, RAW (give its dimensions and type), STL, PLY, OBJ, GLB, 3MF, STEP and IGES are read.`,
  );
}

function isBinaryStl(head: Uint8Array, size: number): boolean {
  if (head.length < 84) return false;
  const triangles = new DataView(head.buffer, head.byteOffset, head.byteLength).getUint32(80, true);
  return triangles > 0 && size === 84 + 50 * triangles;
}

/** A single-file NIfTI-1. */
const isNifti = (text: string) => text.slice(344, 347) === 'n+1';

/** Kinds that are known well enough to be refused by name. */
function foreignKind(head: Uint8Array, text: string): string | undefined {
  if (text.slice(128, 132) === 'DICM') return 'a DICOM file';
  if (text.startsWith('\x89HDF\r\n') || text.slice(512, 516) === '\x89HDF') return 'an HDF5 file';
  if (text.slice(344, 347) === 'ni1' || text.slice(4, 7) === 'n+2')
    return 'a NIfTI file of another kind than one .nii';
  if (/^(<\?xml[^>]*>\s*)?<VTKFile/.test(text)) return 'a VTK XML file';
  if (text.startsWith('# vtk DataFile')) return 'a legacy VTK file';
  if (/^# (AmiraMesh|Avizo)/.test(text)) return 'an AmiraMesh file';
  if (text.startsWith('\x89PNG')) return 'a PNG picture';
  if (head[0] === 0xff && head[1] === 0xd8) return 'a JPEG picture';
  if (text.startsWith('7z\xbc\xaf')) return 'a 7-Zip archive (pack it as ZIP)';
  if (text.startsWith('Rar!')) return 'a RAR archive (pack it as ZIP)';
  if (text.startsWith('BZh')) return 'bzip2 data (pack it as ZIP)';
  if (text.startsWith('\xfd7zXZ')) return 'xz data (pack it as ZIP)';
  if (text.slice(257, 262) === 'ustar') return 'a tar archive (pack it as ZIP)';
  if (text.startsWith('%PDF')) return 'a PDF document';
  if (text.startsWith('MATLAB 5.0')) return 'a MATLAB file';
  if (/^\s*\{[\s\S]*"asset"/.test(text)) return 'a glTF text file (export it as GLB)';
  return undefined;
}

/** A gzip file counts as RAW unless what is inside begins as something else. */
async function gzipped(source: ByteSource, raw: Recognised, nifti: Recognised): Promise<Recognised> {
  const inner = streamedSource(source.name.replace(/\.gz$/i, ''), 512, () => inflateStream(source, 'gzip'));
  const head = await inner.read(0, 512);
  const text = byteText(head);
  if (isNifti(text)) return nifti;
  const foreign = foreignKind(head, text);
  if (foreign) throw unsupported(`${source.name} is ${foreign} inside gzip, which is not read.`);
  const known =
    looksLikeTiff(head) || /^(NRRD0|ply\s|glTF|solid|ISO-10303-21|ObjectType|NDims|PK)/.test(text);
  if (known || text.slice(257, 262) === 'ustar') {
    throw unsupported(`${source.name} is another file inside gzip; unpack it, or pack it as ZIP.`);
  }
  return raw;
}
