import type { AngleCover, Beam } from './geometry.ts';

const turn = 2 * Math.PI;

/**
 * Weight of a ray among those of the scan along the same line, so that every line counts once: ½ for a full turn; for a
 * short scan of a fan or cone, weights that rise smoothly at both ends of the scan and sum to 1 over the rays of a
 * line. This is the purpose of Parker's weights (1982, doi:10.1118/1.595078), in the form for any angular range (Noo,
 * Defrise, Clackdoyle, Kudo 2002, doi:10.1088/0031-9155/47/14/311).
 *
 * @param angleDeg of the projection @param fanAngle of the ray in its fan, in radians, increasing with y
 */
export function rayWeight(beam: Beam, cover: AngleCover, angleDeg: number, fanAngle: number): number {
  if (beam === 'parallel') return 1;
  if (cover.fullTurn) return 0.5;
  const range = (cover.rangeDeg * Math.PI) / 180;
  // Up to half a turn, hardly any line is measured twice.
  if (range <= Math.PI) return 1;
  const ramp = Math.min(range - Math.PI, Math.PI / 2) / 2;
  const rise = (angle: number): number => {
    const at = ((angle % turn) + turn) % turn;
    if (at >= range) return 0;
    const end = Math.min(at, range - at);
    return end >= ramp ? 1 : Math.sin((Math.PI / 2) * (end / ramp)) ** 2;
  };
  const angle = ((angleDeg - cover.firstDeg) * Math.PI) / 180;
  const own = rise(angle);
  if (own === 0) return 0;
  return own / (own + rise(angle + Math.PI - 2 * fanAngle));
}
