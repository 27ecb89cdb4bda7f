import type { BrickMap } from './brick-map.ts';

/**
 * How much most of the lines through a volume pass, in bricks of full opacity: of the columns along each axis that pass
 * any, the amount that nine of ten stay below; the least of the three axes, which a dense look along one does not spoil.
 */
export function columnSums(
  { size, lowest, highest }: BrickMap,
  findOpacity: (value: number) => number,
): number {
  const [nx, ny, nz] = size;
  const sums = [new Float32Array(ny * nz), new Float32Array(nx * nz), new Float32Array(nx * ny)] as const;
  const add = (columns: Float32Array, at: number, opacity: number) => {
    columns[at] = (columns[at] ?? 0) + opacity;
  };
  let brick = 0;
  for (let z = 0; z < nz; z++) {
    for (let y = 0; y < ny; y++) {
      for (let x = 0; x < nx; x++, brick++) {
        const opacity = (findOpacity(lowest[brick] ?? 0) + findOpacity(highest[brick] ?? 0)) / 2;
        add(sums[0], y + ny * z, opacity);
        add(sums[1], x + nx * z, opacity);
        add(sums[2], x + nx * y, opacity);
      }
    }
  }
  const most = sums.map((columns) => {
    const passed = columns.filter((each) => each > 0).sort();
    return passed[Math.floor(0.9 * (passed.length - 1))] ?? 0;
  });
  return Math.min(...most);
}
