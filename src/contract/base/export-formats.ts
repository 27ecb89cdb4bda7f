/** Formats in which data leaves, with the names that people know them by; the registry of formats writes them. */

/** Grey values: volumes and stacks of radiographs. */
export const exportVolumeFormats = ['nrrd', 'tiff', 'omeZarr'] as const;
export type ExportVolumeFormat = (typeof exportVolumeFormats)[number];

/** Surfaces. */
export const exportMeshFormatNames = { glb: 'GLB', stl: 'STL', ply: 'PLY', '3mf': '3MF' } as const;
export type ExportMeshFormat = keyof typeof exportMeshFormatNames;
export const exportMeshFormats = Object.keys(exportMeshFormatNames) as [
  ExportMeshFormat,
  ...ExportMeshFormat[],
];
