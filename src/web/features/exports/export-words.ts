import type { ProjectExport } from '#web/api/generated/types.gen.ts';

/** What an archive holds: “Meshes and results, volumes”. */
export function contentsInWords(config: ProjectExport['config']): string {
  const parts = [
    ...(config.exportMeshes ? ['meshes and results'] : []),
    ...(config.exportVolumes ? ['volumes'] : []),
    ...(config.exportRadiographs ? ['radiographs'] : []),
  ];
  const words = parts.length === 0 ? 'nothing' : parts.join(', ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export const isUnfinished = (status: string): boolean =>
  status === 'pending' || status === 'processing' || status === 'cancelling';
