/** What is known of a file before it is sent, in words. Pure. */
import type { Estimate } from '#formats/import.ts';
import { formatBytes, formatDuration, formatNumber } from '#web/ui/quantity.ts';

const formatNames: Record<string, string> = {
  nrrd: 'NRRD volume',
  metaimage: 'MetaImage volume',
  tiff: 'TIFF stack',
  raw: 'RAW volume',
  vti: 'VTI volume',
  nifti: 'NIfTI volume',
  dicom: 'DICOM series',
  stl: 'STL mesh',
  ply: 'PLY mesh',
  obj: 'OBJ mesh',
  glb: 'GLB mesh',
  '3mf': '3MF mesh',
  step: 'STEP model',
  iges: 'IGES model',
  brep: 'BREP model',
};

/** `0.0195 mm`, or each axis where they differ. */
export function voxelSizeInWords([x, y, z]: readonly number[]): string {
  const values = x === y && y === z ? [x] : [x, y, z];
  return `${values.map((each) => formatNumber(each)).join(' × ')}\u2009mm`;
}

/** Kind, extent, voxel size and data type; what is not known yet is left out. */
export function fileFacts({ content, format, dimensions, voxelSizeMm, dataType }: Estimate): string[] {
  if (content === 'radiographs') {
    const [columns, rows, projections] = dimensions ?? [];
    const count = projections === undefined ? 'Radiographs' : `${projections} radiographs`;
    return [count, ...(dimensions ? [`${columns} × ${rows} pixels`] : []), ...(dataType ? [dataType] : [])];
  }
  const facts = [formatNames[format] ?? format.toUpperCase()];
  if (dimensions) facts.push(`${dimensions.join(' × ')} voxels`);
  if (voxelSizeMm) facts.push(voxelSizeInWords(voxelSizeMm));
  if (dataType) facts.push(dataType);
  return facts;
}

/** What reading it into the project will take. */
export const costInWords = ({ seconds, memoryBytes }: Pick<Estimate, 'seconds' | 'memoryBytes'>): string =>
  `Reading it takes about ${formatDuration(Math.max(1, seconds))} and ${formatBytes(memoryBytes)} of memory`;

/** What is read, for the place where files are dropped. */
export const acceptedFormats: readonly { name: string; detail: string }[] = [
  { name: 'NRRD', detail: '.nrrd, or .nhdr with its data in a ZIP' },
  { name: 'MetaImage', detail: '.mha, or .mhd with its .raw in a ZIP' },
  { name: 'TIFF', detail: 'a multi-page .tif, or slices in a ZIP; 8, 16, 32 bit and float' },
  { name: 'RAW', detail: '.raw, .vol, .bin; size and type are asked for' },
  {
    name: 'Radiographs',
    detail: 'projections and a geometry JSON in a ZIP; flat and dark images beside them',
  },
  { name: 'Meshes', detail: '.stl, .ply, .obj, .glb' },
];
