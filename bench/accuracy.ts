/**
 * `npm run accuracy`: measures bodies of known truth and writes docs/accuracy.md. The same on every machine and day.
 * Ends with 1 when a figure is beyond its bound.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { inlinePool } from '#kernels/pool.ts';
import {
  accuracyNoise,
  accuracyVoxelsMm,
  beyondBounds,
  meshCases,
  meshErrors,
  wallCases,
  wallErrors,
} from '#kernels/testing/accuracy-cases.ts';
import { kernelModule } from '#kernels/testing/kernel-module.ts';

const target = fileURLToPath(new URL('../docs/accuracy.md', import.meta.url));
const signed = (value: number, digits: number) =>
  `${value < 0 ? '−' : '+'}${Math.abs(value).toFixed(digits)}`;
const row = (cells: (string | number)[]) => `| ${cells.join(' | ')} |`;

const pool = inlinePool(await kernelModule());
const meshRows: string[] = [];
const wallRows: string[] = [];
const broken: string[] = [];
const placeOf = (each: { name: string; pose: string; voxels: string; noise: boolean }) => [
  each.name,
  each.pose,
  each.voxels,
  each.noise ? 'noise' : 'clean',
];
for (const each of meshCases) {
  const errors = await meshErrors(each, pool);
  const place = placeOf(each);
  const { volume, area } = each.bounds;
  meshRows.push(row([...place, signed(errors.volume, 3), volume, signed(errors.area, 3), area]));
  for (const figure of beyondBounds(errors, each.bounds)) broken.push(`${place.join(', ')}: ${figure}`);
}
for (const each of wallCases) {
  for (const method of ['sphere', 'ray'] as const) {
    const { count, ...errors } = await wallErrors(each, method, pool);
    const place = [...placeOf(each), method];
    const { mean, sd, largest } = each.bounds[method];
    const figures = [
      signed(errors.mean, 3),
      mean,
      errors.sd.toFixed(3),
      sd,
      errors.largest.toFixed(3),
      largest,
    ];
    wallRows.push(row([...place, count, ...figures]));
    for (const figure of beyondBounds(errors, each.bounds[method]))
      broken.push(`${place.join(', ')}: ${figure}`);
  }
}

const [x, y, z] = accuracyVoxelsMm.anisotropic;
const text = `# Accuracy

Written by \`npm run accuracy\` from bodies whose volume, area and walls are known exactly; not edited by hand. Tests hold
the bounds. The bodies are rendered with partial volume into voxels of ${accuracyVoxelsMm.cubic[0]} mm (cubic) or ${x} × ${y} × ${z} mm (anisotropic), shifted
off the grid, along its axes or tilted by 21°, 14° and 33°; with noise, its standard deviation is ${(accuracyNoise / 320).toFixed(0)} % of the contrast
between air and material. The surface runs at ISO 50. What is not in them: blur by the focal spot, scatter, beam
hardening and rings, which a real scan adds.

## Mesh

As createMesh makes it by default: the noise is estimated from the scan itself (median of second differences), grey values are
smoothed only where it is above 1 % of the contrast, by a filter that keeps curved surfaces in place, and what chords and
averages over cells cost is given back by curvature. Errors in % of the truth; a bound is on the amount of the error beside
it. Edges are rounded by about half a voxel, which costs bodies with edges area.

${row(['Body', 'Pose', 'Voxels', 'Grey values', 'Volume', 'Bound', 'Area', 'Bound'])}
${row(['---', '---', '---', '---', '--:', '--:', '--:', '--:'])}
${meshRows.join('\n')}

## Wall thickness

At every vertex whose true wall is known (of flat walls and tubes: further from an edge than the wall is thick), as
runWallThickness measures by default. Errors in voxels of the smallest edge: mean, standard deviation, largest amount; a bound is
on the amount of the figure before it. *sphere*: diameter of the largest ball in the material that touches the vertex. *ray*:
along the inward normal to the opposite surface.

${row(['Body', 'Pose', 'Voxels', 'Grey values', 'Method', 'Vertices', 'Mean', 'Bound', 'Sd', 'Bound', 'Largest', 'Bound'])}
${row(['---', '---', '---', '---', '---', '--:', '--:', '--:', '--:', '--:', '--:', '--:'])}
${wallRows.join('\n')}
`;
await writeFile(target, text);
console.log(`${meshCases.length + 2 * wallCases.length} rows -> ${target}`);
for (const line of broken) console.error(`beyond its bound: ${line}`);
process.exitCode = broken.length > 0 ? 1 : 0;
