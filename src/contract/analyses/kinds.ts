/** The nine analyses: their names on the wire, their place in a project's status and their module. */

export const analysisKinds = [
  'createMesh',
  'createTexturedMesh',
  'runWallThickness',
  'runIntegrityAnalysis',
  'runAutoAlignLite',
  'runMeshCompare',
  'runDecomposeMeshCompare',
  'runPipeline',
  'runReconstructionPreview',
] as const;
export type AnalysisKind = (typeof analysisKinds)[number];

/** Everything that runs as an operation of a project. */
export const operationKinds = [...analysisKinds, 'ingest'] as const;
export type OperationKind = (typeof operationKinds)[number];

export const dataObjectKinds = [
  'radiographs',
  'volume',
  'mesh',
  'cad',
  'alignment',
  'wallThickness',
  'integrity',
  'meshCompare',
  'report',
  'other',
] as const;
export type DataObjectKind = (typeof dataObjectKinds)[number];

interface AnalysisFacts {
  /** the field of a project's status that shows it */
  statusKey: string;
  title: string;
  purpose: string;
  module: string;
  /** what its source has to be, the first that there is; empty = none */
  sourceKinds: readonly DataObjectKind[];
}

export const analysisFacts = {
  createMesh: {
    statusKey: 'mesh',
    title: 'Mesh',
    purpose: 'Generate a 3D mesh from scan data.',
    module: 'meshing',
    sourceKinds: ['volume'],
  },
  createTexturedMesh: {
    statusKey: 'texturedMesh',
    title: 'Textured mesh',
    purpose: 'Generate a textured 3D mesh.',
    module: 'meshing',
    sourceKinds: ['volume'],
  },
  runWallThickness: {
    statusKey: 'wallThickness',
    title: 'Wall thickness',
    purpose: 'Run wall thickness analysis.',
    module: 'wallThickness',
    sourceKinds: ['volume'],
  },
  runIntegrityAnalysis: {
    statusKey: 'integrityAnalysis',
    title: 'Integrity',
    purpose: 'Run integrity analysis to detect defects.',
    module: 'integrity',
    sourceKinds: ['volume'],
  },
  runAutoAlignLite: {
    statusKey: 'autoAlignLite',
    title: 'Auto-alignment',
    purpose: 'Run auto-alignment on scan data.',
    module: 'alignment',
    sourceKinds: ['volume', 'mesh'],
  },
  runMeshCompare: {
    statusKey: 'meshCompare',
    title: 'CAD comparison',
    purpose: 'Run CAD comparison analysis.',
    module: 'comparison',
    sourceKinds: ['volume', 'mesh'],
  },
  runDecomposeMeshCompare: {
    statusKey: 'decomposeMeshCompare',
    title: 'Decomposed comparison',
    purpose: 'Run decomposed mesh comparison.',
    module: 'comparison',
    sourceKinds: ['volume', 'mesh'],
  },
  runPipeline: {
    statusKey: 'pipeline',
    title: 'Pipeline',
    purpose: 'Run processing pipeline.',
    module: 'pipelines',
    sourceKinds: [],
  },
  runReconstructionPreview: {
    statusKey: 'reconstructionPreview',
    title: 'Reconstruction preview',
    purpose: 'Generate reconstruction preview.',
    module: 'reconstruction',
    sourceKinds: ['radiographs'],
  },
} as const satisfies Record<AnalysisKind, AnalysisFacts>;

const titles = new Map<string, string>([
  ['ingest', 'Import'],
  ...analysisKinds.map((kind) => [kind, analysisFacts[kind].title] as const),
]);

/** Null for an operation that this version does not know. */
export const operationTitle = (operation: string): string | null => titles.get(operation) ?? null;

/** What an analysis that holds a part against a reference can take for one. */
export const referenceKinds = ['cad', 'mesh', 'volume'] as const satisfies DataObjectKind[];
const withReference: readonly AnalysisKind[] = [
  'runAutoAlignLite',
  'runMeshCompare',
  'runDecomposeMeshCompare',
];
export const needsReference = (kind: AnalysisKind): boolean => withReference.includes(kind);

export const analysisModules = [
  { key: 'meshing', name: 'Meshing' },
  { key: 'wallThickness', name: 'Wall thickness' },
  { key: 'integrity', name: 'Integrity' },
  { key: 'alignment', name: 'Alignment' },
  { key: 'comparison', name: 'Comparison' },
  { key: 'pipelines', name: 'Pipelines' },
  { key: 'reconstruction', name: 'Reconstruction' },
] as const;

/** The operations that a module switches. */
export const operationsOfModule = (key: string): AnalysisKind[] =>
  analysisKinds.filter((kind) => analysisFacts[kind].module === key);

/** Those that this version carries out; the others answer 501. The registry of analyses is held against it. */
export const implementedAnalyses = [
  'createMesh',
  'createTexturedMesh',
  'runWallThickness',
  'runIntegrityAnalysis',
  'runAutoAlignLite',
  'runMeshCompare',
  'runDecomposeMeshCompare',
  'runReconstructionPreview',
] as const satisfies AnalysisKind[];
export type ImplementedAnalysis = (typeof implementedAnalyses)[number];

/** The same with the pipeline, which is made of them and has no kernel of its own. */
export const carriedOutAnalyses: readonly AnalysisKind[] = [...implementedAnalyses, 'runPipeline'];
