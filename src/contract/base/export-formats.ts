/** Export formats with their common names; the format registry contains the writers. */

/** Formats for grey values: volumes and stacks of radiographs. */
export const exportVolumeFormats = ['nrrd', 'tiff', 'omeZarr'] as const;
export type ExportVolumeFormat = (typeof exportVolumeFormats)[number];

/** Formats for surfaces. */
export const exportMeshFormatNames = { glb: 'GLB', stl: 'STL', ply: 'PLY', '3mf': '3MF' } as const;
export type ExportMeshFormat = keyof typeof exportMeshFormatNames;
export const exportMeshFormats = Object.keys(exportMeshFormatNames) as [
  ExportMeshFormat,
  ...ExportMeshFormat[],
];
