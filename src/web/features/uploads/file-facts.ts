/** Describes a file before its upload. Pure. */

import { formatQuantities } from '#contract/base/format-number.ts';
import type { Estimate } from '#formats/estimate.ts';
import { formats, radiographFiles, readFormats } from '#formats/registry.ts';
import { formatBytes, formatDuration } from '#web/ui/quantity.ts';

const nouns = { volume: 'volume', mesh: 'mesh', cad: 'model' };

/** `0.0195 mm`, or the value of each axis if they differ. */
export function formatVoxelSize([x, y, z]: readonly [number, number, number]): string {
  const values = x === y && y === z ? [x] : [x, y, z];
  return formatQuantities(values, 'mm');
}

/** Kind, dimensions, voxel size and data type; unknown ones are omitted. */
export function fileFacts({ content, format, dimensions, voxelSizeMm, dataType }: Estimate): string[] {
  if (content === 'radiographs') {
    const [columns, rows, projections] = dimensions ?? [];
    const count = projections === undefined ? 'Radiographs' : `${projections} radiographs`;
    return [count, ...(dimensions ? [`${columns} × ${rows} pixels`] : []), ...(dataType ? [dataType] : [])];
  }
  const facts = [`${formats[format].name} ${nouns[content]}`];
  if (dimensions) facts.push(`${dimensions.join(' × ')} voxels`);
  if (voxelSizeMm) facts.push(formatVoxelSize(voxelSizeMm));
  if (dataType) facts.push(dataType);
  return facts;
}

export const describeCost = ({ seconds, memoryBytes }: Pick<Estimate, 'seconds' | 'memoryBytes'>): string =>
  `Import takes about ${formatDuration(Math.max(1, seconds))} and ${formatBytes(memoryBytes)} of memory`;

/** The accepted formats, listed at the drop zone. */
export const acceptedFormats: readonly { name: string; detail: string }[] = [
  ...readFormats.map(({ name, files }) => ({ name, detail: files })),
  { name: 'Radiographs', detail: radiographFiles },
];
