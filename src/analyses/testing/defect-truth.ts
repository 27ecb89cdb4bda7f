/** Classifies the defects that an analysis lists: real flaws of the part, or noise and artefacts. */
import { joinBytes } from '#formats/bytes/join-bytes.ts';
import { readGlb } from '#formats/glb/read-glb.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { Body } from '#kernels/testing/bodies.ts';
import type { FlawedPart } from '#kernels/testing/families/flawed-parts.ts';
import type { ResultFile } from '../analysis.ts';
import type { NumberedDefect } from '../defect-files.ts';

/** In mm; blur and noise move the surface of a flaw by less. */
const near = 1.2;

/**
 * A defect is real when at least half of its surface lies on or in a flaw of its kind: an inclusion in denser material,
 * any other defect in a void or in lighter material. A piece of a flaw is real too, and so is a groove.
 * @param shift from the middle of the scan to that of the part, mm
 * @returns numbers of the real defects
 */
export function listReal(
  defects: readonly NumberedDefect[],
  files: readonly ResultFile[],
  { voids, phases }: FlawedPart,
  shift: Readonly<Vector3> = [0, 0, 0],
): Set<number> {
  const glb = files.find(({ fileName }) => fileName === 'defects.glb');
  if (!glb) return new Set();
  const { positions, scalars } = readGlb(joinBytes(glb.parts));
  const listBodies = (isDense: boolean) =>
    phases.filter(({ share }) => share > 1 === isDense).map(({ body }) => body);
  const [dense, hollow] = [listBodies(true), [...voids, ...listBodies(false)]];
  const kinds = new Map(defects.map(({ id, kind }) => [id, kind]));
  const shares = new Map<number, number>();
  for (const [v, id] of (scalars?.defectId ?? []).entries()) {
    const at = shift.map((n, k) => n + (positions[3 * v + k] ?? 0)) as Vector3;
    const bodies = kinds.get(id) === 'inclusion' ? dense : hollow;
    shares.set(id, (shares.get(id) ?? 0) + (bodies.some((body) => isNear(body, at)) ? 1 : -1));
  }
  return new Set([...shares].filter(([, share]) => share > 0).map(([id]) => id));
}

const isNear = ({ boundsMm: { min, max }, distanceMm }: Body, at: Vector3): boolean =>
  at.every((n, k) => n > (min[k] ?? 0) - near && n < (max[k] ?? 0) + near) && distanceMm(...at) < near;
