import type { ProjectExport } from '#web/api/generated/types.gen.ts';
import { capitalised } from '#web/ui/quantity.ts';

export const volumeFormatWords: Record<ProjectExport['config']['volumeFormat'], string> = {
  nrrd: 'NRRD',
  tiff: 'TIFF stack',
  omeZarr: 'OME-Zarr',
};
export const meshFormatWords: Record<ProjectExport['config']['meshFormats'][number], string> = {
  glb: 'GLB',
  stl: 'STL',
  ply: 'PLY',
  '3mf': '3MF',
};

/** What an archive holds: “Meshes and results (STL), volumes (NRRD)”. */
export function contentsInWords(config: ProjectExport['config']): string {
  const meshes = config.meshFormats.map((format) => meshFormatWords[format]).join(', ');
  const grey = ` (${volumeFormatWords[config.volumeFormat]})`;
  const parts = [
    ...(config.exportMeshes ? [`meshes and results${meshes === '' ? '' : ` (${meshes})`}`] : []),
    ...(config.exportVolumes ? [`volumes${grey}`] : []),
    ...(config.exportRadiographs ? [`radiographs${grey}`] : []),
  ];
  return capitalised(parts.length === 0 ? 'nothing' : parts.join(', '));
}
