import { alignmentSection } from '#kernels/testing/accuracy/alignment-section.ts';
import { correctionsSection } from '#kernels/testing/accuracy/corrections-section.ts';
import { deviationSection } from '#kernels/testing/accuracy/deviation-section.ts';
import { driftSection } from '#kernels/testing/accuracy/drift-section.ts';
import { medianMeshSection, meshSection } from '#kernels/testing/accuracy/mesh-section.ts';
import { reconstructionSection } from '#kernels/testing/accuracy/reconstruction-section.ts';
import type { AccuracySection } from '#kernels/testing/accuracy/section.ts';
import { wallSection } from '#kernels/testing/accuracy/wall-section.ts';
import { crackSection, manyPoresSection, poreSection } from './integrity-sections.ts';

/** All sections of docs/accuracy.md, in the order of the page. */
export const accuracySections: readonly AccuracySection[] = [
  meshSection,
  medianMeshSection,
  wallSection,
  poreSection,
  manyPoresSection,
  crackSection,
  alignmentSection,
  deviationSection,
  reconstructionSection,
  driftSection,
  correctionsSection,
];
