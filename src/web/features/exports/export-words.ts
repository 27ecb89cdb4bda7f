import { capitalised } from '#contract/base/format-number.ts';
import { formats } from '#formats/registry.ts';
import type { ExportEstimate, ProjectExport } from '#web/api/generated/types.gen.ts';
import { formatBytes } from '#web/ui/quantity.ts';

/** The contents of an archive: “Meshes and results (STL), volumes (NRRD)”. */
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

/** A part of an archive, with its size if known: “The projections, about 3 MB.” */
export function describePart(explanation: string, part: ExportEstimate['parts'][number] | undefined): string {
  if (part === undefined) return `${explanation}.`;
  return part.dataObjectCount === 0
    ? `${explanation}: there are none.`
    : `${explanation}, about ${formatBytes(part.sizeBytes)}.`;
}
