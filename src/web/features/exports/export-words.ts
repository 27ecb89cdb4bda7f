import { formats } from '#formats/registry.ts';
import type { ProjectExport } from '#web/api/generated/types.gen.ts';
import { capitalised } from '#web/ui/quantity.ts';

/** What an archive holds: “Meshes and results (STL), volumes (NRRD)”. */
export function describeContents(config: ProjectExport['config']): string {
  if (config.report) return 'Report (PDF)';
  const meshes = config.meshFormats.map((format) => formats[format].name).join(', ');
  const grey = ` (${formats[config.volumeFormat].name})`;
  const parts = [
    ...(config.exportMeshes ? [`meshes and results${meshes === '' ? '' : ` (${meshes})`}`] : []),
    ...(config.exportVolumes ? [`volumes${grey}`] : []),
    ...(config.exportRadiographs ? [`radiographs${grey}`] : []),
  ];
  return capitalised(parts.length === 0 ? 'nothing' : parts.join(', '));
}
