import type { Vector3 } from '../../grid/volume.ts';

/** Visits the middles of cells over a box. */
export function fillBox(
  { min, max }: { min: Vector3; max: Vector3 },
  stepMm: number,
  margin: number,
  work: (x: number, y: number, z: number) => void,
): void {
  const size = min.map((from, k) => Math.ceil((max[k] - from + 2 * margin) / stepMm));
  const [x0, y0, z0] = min.map((from) => from - margin + stepMm / 2);
  for (let z = 0; z < size[2]; z++)
    for (let y = 0; y < size[1]; y++)
      for (let x = 0; x < size[0]; x++) work(x0 + x * stepMm, y0 + y * stepMm, z0 + z * stepMm);
}
