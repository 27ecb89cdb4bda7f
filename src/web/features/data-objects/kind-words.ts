import {
  IconBox,
  IconCube3dSphere,
  IconFileText,
  IconRadar,
  IconRulerMeasure,
  IconStack2,
  IconTransform,
  IconTriangles,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { spellOut } from '#web/ui/quantity.ts';

interface KindWords {
  title: string;
  icon: ComponentType<{ size?: number; stroke?: number }>;
}

const kinds: Record<string, KindWords> = {
  radiographs: { title: 'Radiographs', icon: IconRadar },
  volume: { title: 'Volume', icon: IconStack2 },
  mesh: { title: 'Mesh', icon: IconTriangles },
  cad: { title: 'CAD or reference mesh', icon: IconCube3dSphere },
  alignment: { title: 'Alignment', icon: IconTransform },
  wallThickness: { title: 'Wall thickness', icon: IconRulerMeasure },
  integrity: { title: 'Integrity', icon: IconBox },
  meshCompare: { title: 'Comparison', icon: IconTriangles },
  report: { title: 'Report', icon: IconFileText },
};

/** How a kind of data is called; one that the page does not know is spelled out. */
export const kindWords = (kind: string): KindWords => kinds[kind] ?? { title: spellOut(kind), icon: IconBox };
