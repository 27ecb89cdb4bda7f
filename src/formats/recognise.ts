import { hasContent, type NamedFile, openArchives } from './archives.ts';
import { type ByteSource, nameSources, readExactly, type Sources } from './bytes/byte-source.ts';
import { inflateStream } from './bytes/inflate.ts';
import { streamedSource } from './bytes/streamed-source.ts';
import type { FileHead } from './format.ts';
import { malformed, unsupported } from './format-error.ts';
import { compareNaturally, gapInNumbers } from './natural-order.ts';
import { readRawSidecar } from './raw/sidecar.ts';
import {
  type CadFormatId,
  type FormatId,
  formats,
  type MeshFormatId,
  readFormatNames,
  readFormats,
  type VolumeFormatId,
} from './registry.ts';
import type { ImportHints } from './volume/volume-header.ts';

/** What the files are, after opening archives. */
export type Recognised = {
  /** the relevant files: a header comes first, slices are in order of z */
  sources: Sources;
  hints: ImportHints;
  /** the file as a whole is gzip */
  gzipped: boolean;
  warnings: string[];
} & (
  | { content: 'volume'; format: VolumeFormatId }
  | { content: 'mesh'; format: MeshFormatId }
  | { content: 'cad'; format: CadFormatId }
);

const getExtension = (path: string) => /\.([a-z0-9]+)$/i.exec(path)?.[1]?.toLowerCase() ?? '';
/** Files that accompany data without containing any. */
const companions =
  /\.(txt|md|pdf|json|xml|csv|log|html?|ini|cfg|rtf|docx?|xlsx?|png|jpe?g|gif|sha256|md5|mtl|pca|xtekct|xtekvolume)$/i;
const tiffName = /\.tiff?$/i;

/** An error for a known format that is not read. */
const refuseFormat = (what: string) => unsupported(`${what}, which is not read. ${readFormatNames} are.`);

/**
 * Identifies one or several files, by content first and name second. Opens a ZIP and finds a stack of TIFF slices, a
 * header with its data file, or a single file of any kind; files added by operating systems (`__MACOSX`, `.DS_Store`)
 * are ignored.
 *
 * @param hints with dimensions, a file of unknown kind is RAW
 * @throws FormatError UNSUPPORTED naming the kind, if it is known but not read
 */
export async function recognise(
  sources: readonly ByteSource[],
  hints: ImportHints = {},
): Promise<Recognised> {
  const files = await openArchives(sources);
  for (const format of readFormats) {
    const archive = files.find((file) => file.archive && format.recogniseArchive?.(file.path))?.archive;
    if (archive) return recognised(format.id, archive, hints);
  }
  // A single file was chosen on purpose, whatever its name.
  const isAlone = files.length === 1 && files[0]?.archive === undefined;
  return choose(isAlone ? files : files.filter(hasContent), hints, nameSources(sources));
}

const recognised = (format: FormatId, source: ByteSource, hints: ImportHints, gzipped = false): Recognised =>
  ({
    content: formats[format].content,
    format,
    sources: [source],
    hints,
    gzipped,
    warnings: [],
  }) as Recognised;

async function choose(files: NamedFile[], hints: ImportHints, where: string): Promise<Recognised> {
  if (files.length === 1 && files[0]) return identify(files[0].source, hints);

  const headers = files.filter((file) => /\.(nhdr|mhd)$/i.test(file.path));
  if (headers.length > 1) throw refuseSeveral(where, headers);
  const [header] = headers;
  if (header) {
    const rest = files.filter((file) => file !== header).map((file) => file.source);
    const found = await identify(header.source, hints);
    return { ...found, sources: [header.source, ...rest] };
  }
  const withData = files.filter((file) => !companions.test(file.path));
  const candidates = withData.length > 0 ? withData : files;
  const slices = candidates.filter((file) => tiffName.test(file.path));
  if (slices.length > 1 && slices.length === candidates.length) return stack(slices, hints, where);
  const [first] = candidates;
  if (!first) throw malformed(`${where} holds no file with data.`);
  if (candidates.length > 1) {
    const foreign = foreignKind(await readHead(first.source));
    if (foreign) throw refuseFormat(`${first.path} in ${where} is ${foreign}`);
    throw refuseSeveral(where, candidates);
  }
  const found = await identify(first.source, hints);
  if (found.format !== 'raw') return found;
  return { ...found, hints: { ...(await sidecarHints(files, first)), ...hints } };
}

const refuseSeveral = (where: string, files: NamedFile[]) =>
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
  const [first, ...others] = [...slices].sort((a, b) => compareNaturally(a.path, b.path));
  if (!first) throw malformed(`${where} holds no file with data.`);
  const ordered = [first, ...others];
  const gap = gapInNumbers(ordered.map((file) => file.path));
  return {
    content: 'volume',
    format: 'tiff',
    gzipped: false,
    hints,
    sources: [first.source, ...others.map((file) => file.source)],
    warnings: gap ? [gap] : [],
  };
}

/** Our own exports put a JSON beside the RAW, so that nothing has to be entered. */
async function sidecarHints(files: NamedFile[], raw: NamedFile): Promise<ImportHints> {
  for (const file of files) {
    if (getExtension(file.path) !== 'json' || file.source.size > 1 << 20) continue;
    const text = new TextDecoder().decode(await file.source.read(0, file.source.size));
    const sidecar = readRawSidecar(text);
    if (!sidecar || (sidecar.dataFile !== raw.source.name && files.length > 2)) continue;
    const { dimensions, voxelSizeMm, originMm, directions, dataType, byteOrder, headerBytes } = sidecar;
    return { dimensions, voxelSizeMm, originMm, directions, dataType, byteOrder, headerBytes };
  }
  return {};
}

async function readHead(source: ByteSource): Promise<FileHead> {
  const bytes = await readExactly(source, 0, Math.min(1024, source.size), 'the beginning');
  return toHead(source.name, source.size, bytes);
}

/** One character per byte; the decoder named latin1 is windows-1252 and would change some. */
const toHead = (name: string, size: number, bytes: Uint8Array): FileHead => ({
  name,
  size,
  bytes,
  text: String.fromCharCode(...bytes),
});

const recogniseContent = (head: FileHead) => readFormats.find((format) => format.recognise?.(head))?.id;

async function identify(source: ByteSource, hints: ImportHints): Promise<Recognised> {
  const head = await readHead(source);
  // A DICOM file may begin like a TIFF, so that both kinds of readers accept it.
  const found = isDicom(head) ? undefined : recogniseContent(head);
  if (found) return recognised(found, source, hints);
  const foreign = foreignKind(head);
  if (foreign) throw refuseFormat(`${source.name} is ${foreign}`);
  if (head.bytes[0] === 0x1f && head.bytes[1] === 0x8b) return identifyGzip(source, hints);
  const extension = getExtension(source.name);
  const named = readFormats.find(({ extensions }) => extensions.includes(extension));
  if (named) return recognised(named.id, source, hints);
  if (hints.dimensions) return recognised('raw', source, hints);
  throw unsupported(
    `${source.name} is of no known kind. ${readFormatNames} are read; grey values without a header are once their dimensions are given.`,
  );
}

/** A gzip file counts as RAW unless its content is recognised. */
async function identifyGzip(source: ByteSource, hints: ImportHints): Promise<Recognised> {
  const inner = streamedSource(source.name.replace(/\.gz$/i, ''), 512, () => inflateStream(source, 'gzip'));
  const head = toHead(inner.name, Number.POSITIVE_INFINITY, await inner.read(0, 512));
  const foreign = foreignKind(head);
  if (foreign) throw refuseFormat(`${source.name} is ${foreign} inside gzip`);
  const found = head.text.startsWith('PK') ? '3mf' : recogniseContent(head);
  if (found && found !== 'nifti') {
    throw unsupported(`${source.name} is ${formats[found].name} inside gzip; unpack it, or pack it as ZIP.`);
  }
  return recognised(found ?? 'raw', source, hints, true);
}

const isDicom = ({ text }: Pick<FileHead, 'text'>) => text.slice(128, 132) === 'DICM';

/** Formats known well enough to be refused by name. */
function foreignKind({ bytes, text }: FileHead): string | undefined {
  if (isDicom({ text })) return 'a DICOM file';
  if (text.startsWith('\x89HDF\r\n') || text.slice(512, 516) === '\x89HDF') return 'an HDF5 file';
  if (text.slice(344, 347) === 'ni1' || text.slice(4, 7) === 'n+2')
    return 'a NIfTI file of another kind than one .nii';
  if (/^(<\?xml[^>]*>\s*)?<VTKFile/.test(text)) return 'a VTK XML file';
  if (/^\s*(DBRep_DrawableShape|CASCADE Topology)/.test(text)) return 'an Open CASCADE BREP model';
  if (text.startsWith('# vtk DataFile')) return 'a legacy VTK file';
  if (/^# (AmiraMesh|Avizo)/.test(text)) return 'an AmiraMesh file';
  if (text.startsWith('\x89PNG')) return 'a PNG picture';
  if (bytes[0] === 0xff && bytes[1] === 0xd8) return 'a JPEG picture';
  if (text.startsWith('7z\xbc\xaf')) return 'a 7-Zip archive (pack it as ZIP)';
  if (text.startsWith('Rar!')) return 'a RAR archive (pack it as ZIP)';
  if (text.startsWith('BZh')) return 'bzip2 data (pack it as ZIP)';
  if (text.startsWith('(\xb5/\xfd')) return 'Zstandard data (pack it as ZIP)';
  if (text.startsWith('\xfd7zXZ')) return 'xz data (pack it as ZIP)';
  if (text.slice(257, 262) === 'ustar') return 'a tar archive (pack it as ZIP)';
  if (text.startsWith('%PDF')) return 'a PDF document';
  if (text.startsWith('MATLAB 5.0')) return 'a MATLAB file';
  if (/^\s*\{[\s\S]*"asset"/.test(text)) return 'a glTF text file (export it as GLB)';
  return undefined;
}
