/** Modules shared by several analyses. */
import type { AnalysisModule } from './declaration.ts';

export const meshing = { key: 'meshing', name: 'Meshing' } as const satisfies AnalysisModule;
export const comparison = { key: 'comparison', name: 'Comparison' } as const satisfies AnalysisModule;
