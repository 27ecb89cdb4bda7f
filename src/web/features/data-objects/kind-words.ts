import {
  IconChartHistogram,
  IconCube3dSphere,
  IconFile,
  IconFileText,
  IconLayersIntersect,
  IconRadar,
  IconStack2,
  IconTriangles,
} from '@tabler/icons-react';
import type { ComponentType } from 'react';
import { findDataTitle, type PlainDataKind } from '#contract/analyses/data-kinds.ts';
import { spellOut } from '#web/ui/quantity.ts';

type Icon = ComponentType<{ size?: number; stroke?: number }>;

const icons: Record<PlainDataKind, Icon> = {
  radiographs: IconRadar,
  volume: IconStack2,
  surface: IconLayersIntersect,
  mesh: IconTriangles,
  cad: IconCube3dSphere,
  report: IconFileText,
  other: IconFile,
};

/** Title and icon of a kind of data; an unknown kind is spelled out. All results of analyses share an icon. */
export const kindWords = (kind: string): { title: string; icon: Icon } => ({
  title: findDataTitle(kind) ?? spellOut(kind),
  icon: (icons as Record<string, Icon>)[kind] ?? IconChartHistogram,
});
