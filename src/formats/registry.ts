/**
 * The registry of formats: how each is recognised, read, written and described. Import, export, the dashboard and the
 * README use it. Ordered as formats are recognised.
 */

import { voxelBytes } from '#kernels/grid/slab-walk.ts';
import { type ByteSource, readExactly } from './bytes/byte-source.ts';
import type { CadFormat, FileHead, MeshFormat, VolumeFormat } from './format.ts';

const beginsWith = (mark: string | RegExp) => {
  return ({ text }: FileHead) => (typeof mark === 'string' ? text.startsWith(mark) : mark.test(text));
};

const isTiff = ({ bytes: [a, b, c, d], text, size }: FileHead) =>
  size >= 8 &&
  ((text.startsWith('II') && (c === 42 || c === 43) && d === 0) ||
    (a === 0x4d && b === 0x4d && c === 0 && (d === 42 || d === 43)));

function isBinaryStl({ bytes, size }: FileHead): boolean {
  if (bytes.length < 84) return false;
  const triangles = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getUint32(80, true);
  return triangles > 0 && size === 84 + 50 * triangles;
}

const readWhole = (source: ByteSource) => readExactly(source, 0, source.size, 'the mesh');

export const volumeFormats = {
  nrrd: {
    content: 'volume',
    name: 'NRRD',
    extensions: ['nrrd', 'nhdr'],
    files: '.nrrd, or .nhdr with its data in a ZIP',
    mediaType: 'application/x-nrrd',
    recognise: beginsWith('NRRD0'),
    open: async (sources, hints) => (await import('./nrrd/nrrd-header.ts')).nrrdHeader(sources, hints),
    writer: async () => (await import('./nrrd/write-nrrd.ts')).nrrdWriter,
    estimateBytes: voxelBytes,
  },
  tiff: {
    content: 'volume',
    name: 'TIFF',
    extensions: ['tif', 'tiff'],
    files: 'a .tif of several pages, or slices in a ZIP; 1 to 64 bit',
    mediaType: 'image/tiff',
    recognise: isTiff,
    open: async (sources, hints) => (await import('./tiff/tiff-header.ts')).tiffHeader(sources, hints),
    writer: async () => (await import('./tiff/write-tiff.ts')).tiffWriter,
    estimateBytes: voxelBytes,
  },
  nifti: {
    content: 'volume',
    name: 'NIfTI',
    extensions: ['nii'],
    files: '.nii or .nii.gz',
    mediaType: 'application/x-nifti',
    recognise: ({ text }) => text.slice(344, 347) === 'n+1',
    open: async ([source], hints, gzipped) =>
      (await import('./nifti/nifti-header.ts')).niftiHeader(source, hints, gzipped),
    estimateBytes: voxelBytes,
  },
  metaimage: {
    content: 'volume',
    name: 'MetaImage',
    extensions: ['mha', 'mhd'],
    files: '.mha, or .mhd with its .raw in a ZIP',
    mediaType: 'application/x-metaimage',
    recognise: ({ text }) =>
      /^(\s*[A-Za-z]+\s*=[^\n]*\n)+/.test(text) && /(^|\n)\s*(NDims|DimSize|ObjectType)\s*=/.test(text),
    open: async (sources, hints) =>
      (await import('./metaimage/metaimage-header.ts')).metaImageHeader(sources, hints),
    estimateBytes: voxelBytes,
  },
  raw: {
    content: 'volume',
    name: 'RAW',
    extensions: ['raw', 'vol', 'bin', 'dat', 'img'],
    files: '.raw, .vol, .bin, .dat or .img, also as .raw.gz; size and type are asked for',
    mediaType: 'application/octet-stream',
    open: async ([source], hints, gzipped) =>
      (await import('./raw/raw-header.ts')).rawHeader(source, hints, gzipped),
    writer: async () => (await import('./raw/write-raw.ts')).rawWriter,
    estimateBytes: voxelBytes,
  },
  omeZarr: {
    content: 'volume',
    name: 'OME-Zarr',
    extensions: ['ome.zarr'],
    files: 'a folder',
    mediaType: 'application/json',
    // Half the edge length gives an eighth of the voxels, and so on.
    estimateBytes: (volume) => (voxelBytes(volume) * 8) / 7,
  },
} as const satisfies Record<string, VolumeFormat>;

export const meshFormats = {
  glb: {
    content: 'mesh',
    name: 'GLB',
    extensions: ['glb'],
    files: '.glb (glTF 2.0), plain or by meshopt; not Draco',
    mediaType: 'model/gltf-binary',
    hasUnit: true,
    recognise: beginsWith('glTF'),
    open: async (source) => {
      const [{ readGlb }, { unpackGlb }] = await Promise.all([
        import('./glb/read-glb.ts'),
        import('./glb/unpack-glb.ts'),
      ]);
      return readGlb(await unpackGlb(await readWhole(source)));
    },
    writer: async () => (await import('./glb/write-glb.ts')).glbWriter,
    estimateBytes: ({ glbBytes }) => glbBytes,
  },
  stl: {
    content: 'mesh',
    name: 'STL',
    extensions: ['stl'],
    files: '.stl, binary or text; the unit is asked for',
    mediaType: 'model/stl',
    hasUnit: false,
    recognise: (head) =>
      /^(?:\xef\xbb\xbf)?\s*solid[\s\S]*?(facet|endsolid)/i.test(head.text) || isBinaryStl(head),
    open: async (source, mm) =>
      (await import('./stl/read-stl.ts')).readStl(await readWhole(source), mm, source.name),
    writer: async () => (await import('./stl/write-stl.ts')).stlWriter,
    estimateBytes: ({ triangles }) => 84 + 50 * triangles,
  },
  ply: {
    content: 'mesh',
    name: 'PLY',
    extensions: ['ply'],
    files: '.ply, binary or text; the unit is asked for',
    mediaType: 'application/ply',
    hasUnit: false,
    recognise: beginsWith(/^ply[ \t]*[\r\n]/),
    open: async (source, mm) =>
      (await import('./ply/read-ply.ts')).readPly(await readWhole(source), mm, source.name),
    writer: async () => (await import('./ply/write-ply.ts')).plyWriter,
    // With a normal per vertex.
    estimateBytes: ({ vertices, triangles }) => 400 + 24 * vertices + 13 * triangles,
  },
  '3mf': {
    content: 'mesh',
    name: '3MF',
    extensions: ['3mf'],
    files: '.3mf',
    mediaType: 'model/3mf',
    hasUnit: true,
    recogniseArchive: (path) => /^3D\/[^/]+\.model$/i.test(path),
    open: async (source) => (await import('./threemf/read-3mf.ts')).read3mf(source),
    writer: async () => (await import('./threemf/write-3mf.ts')).threemfWriter,
    // Text, deflated to about 9 bytes per number.
    estimateBytes: ({ vertices, triangles }) => 14 * (vertices + triangles),
  },
  obj: {
    content: 'mesh',
    name: 'OBJ',
    extensions: ['obj'],
    files: '.obj; the unit is asked for',
    mediaType: 'model/obj',
    hasUnit: false,
    open: async (source, mm) =>
      (await import('./obj/read-obj.ts')).readObj(await readWhole(source), mm, source.name),
  },
} as const satisfies Record<string, MeshFormat>;

export const cadFormats = {
  step: {
    content: 'cad',
    name: 'STEP',
    extensions: ['step', 'stp', 'p21'],
    files: '.step or .stp (AP203, AP214, AP242)',
    recognise: beginsWith(/^\s*ISO-10303-21/),
    open: async (occt, bytes, name, deflectionMm) =>
      (await import('./cad/cad-model.ts')).readCad(occt, 'step', bytes, name, deflectionMm),
  },
  iges: {
    content: 'cad',
    name: 'IGES',
    extensions: ['igs', 'iges'],
    files: '.igs or .iges',
    recognise: beginsWith(/^.{72}S *1 *[\r\n]/),
    open: async (occt, bytes, name, deflectionMm) =>
      (await import('./cad/cad-model.ts')).readCad(occt, 'iges', bytes, name, deflectionMm),
  },
} as const satisfies Record<string, CadFormat>;

export type VolumeFormatId = keyof typeof volumeFormats;
export type MeshFormatId = keyof typeof meshFormats;
export type CadFormatId = keyof typeof cadFormats;
export type FormatId = VolumeFormatId | MeshFormatId | CadFormatId;

/** Single-file formats for writing volumes and surfaces. */
export type WritableVolumeId = Writable<typeof volumeFormats>;
export type WritableMeshId = Writable<typeof meshFormats>;
type Writable<Formats> = {
  [Id in keyof Formats]: Formats[Id] extends { writer: unknown } ? Id : never;
}[keyof Formats];

type AnyFormat = VolumeFormat | MeshFormat | CadFormat;
export const formats: Readonly<Record<FormatId, AnyFormat>> = {
  ...volumeFormats,
  ...meshFormats,
  ...cadFormats,
};

/** Formats that are read, in the order in which they are recognised. */
export const readFormats: readonly (AnyFormat & { id: FormatId })[] = Object.entries(formats)
  .filter(([, format]) => format.open)
  .map(([id, format]) => ({ ...format, id: id as FormatId }));

/** `NRRD, TIFF … and IGES`, for error messages. */
export const readFormatNames: string = new Intl.ListFormat('en').format(readFormats.map(({ name }) => name));

/** Radiographs are not a format but several files, one of which describes the scan. */
export const radiographFiles = 'projections and a geometry JSON in a ZIP; flat and dark images beside them';
