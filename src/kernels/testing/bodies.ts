/**
 * Analytic bodies: parts of known shape that serve as truth in tests and accuracy figures. All are centred on the
 * origin unless stated otherwise; lengths in mm.
 */
import type { Vector3 } from '../grid/volume.ts';
import { seededRandom } from '../random.ts';

export interface Body {
  name: string;
  /** signed distance to the surface in mm, negative inside; exact near the surface */
  distanceMm(x: number, y: number, z: number): number;
  boundsMm: { min: Vector3; max: Vector3 };
  volumeMm3: number;
  areaMm2: number;
}

/** Like `Math.hypot`, which is ten times slower because it also handles lengths whose squares overflow or underflow. */
export const measureLength = (x: number, y: number, z = 0): number => Math.sqrt(x * x + y * y + z * z);

function boxDistance(x: number, y: number, z: number, half: Vector3): number {
  const qx = Math.abs(x) - half[0];
  const qy = Math.abs(y) - half[1];
  const qz = Math.abs(z) - half[2];
  // Inside, or outside across one face only, no root is needed.
  if (qx <= 0 ? qy <= 0 || qz <= 0 : qy <= 0 && qz <= 0) return Math.max(qx, qy, qz);
  return measureLength(Math.max(qx, 0), Math.max(qy, 0), Math.max(qz, 0));
}

export function box(sizeMm: Vector3): Body {
  const half = sizeMm.map((n) => n / 2) as Vector3;
  const [a, b, c] = sizeMm;
  return {
    name: 'box',
    distanceMm: (x, y, z) => boxDistance(x, y, z, half),
    boundsMm: { min: half.map((n) => -n) as Vector3, max: half },
    volumeMm3: a * b * c,
    areaMm2: 2 * (a * b + b * c + c * a),
  };
}

export function sphere(radiusMm: number): Body {
  return {
    name: 'sphere',
    distanceMm: (x, y, z) => measureLength(x, y, z) - radiusMm,
    boundsMm: { min: [-radiusMm, -radiusMm, -radiusMm], max: [radiusMm, radiusMm, radiusMm] },
    volumeMm3: (4 / 3) * Math.PI * radiusMm ** 3,
    areaMm2: 4 * Math.PI * radiusMm ** 2,
  };
}

/** A tube around the z axis, open at both ends. */
export function hollowCylinder(outerRadiusMm: number, innerRadiusMm: number, heightMm: number): Body {
  const middle = (outerRadiusMm + innerRadiusMm) / 2;
  const half: Vector3 = [(outerRadiusMm - innerRadiusMm) / 2, heightMm / 2, 0];
  const ring = Math.PI * (outerRadiusMm ** 2 - innerRadiusMm ** 2);
  return {
    name: 'hollow cylinder',
    distanceMm: (x, y, z) => {
      const qx = Math.abs(measureLength(x, y) - middle) - half[0];
      const qy = Math.abs(z) - half[1];
      return measureLength(Math.max(qx, 0), Math.max(qy, 0)) + Math.min(Math.max(qx, qy), 0);
    },
    boundsMm: {
      min: [-outerRadiusMm, -outerRadiusMm, -half[1]],
      max: [outerRadiusMm, outerRadiusMm, half[1]],
    },
    volumeMm3: ring * heightMm,
    areaMm2: 2 * ring + 2 * Math.PI * (outerRadiusMm + innerRadiusMm) * heightMm,
  };
}

/** A torus around the z axis. */
export function torus(ringRadiusMm: number, tubeRadiusMm: number): Body {
  const reach = ringRadiusMm + tubeRadiusMm;
  return {
    name: 'torus',
    distanceMm: (x, y, z) => measureLength(measureLength(x, y) - ringRadiusMm, z) - tubeRadiusMm,
    boundsMm: { min: [-reach, -reach, -tubeRadiusMm], max: [reach, reach, tubeRadiusMm] },
    volumeMm3: 2 * Math.PI ** 2 * ringRadiusMm * tubeRadiusMm ** 2,
    areaMm2: 4 * Math.PI ** 2 * ringRadiusMm * tubeRadiusMm,
  };
}

/** Steps along x, each `stepLengthMm` long; the listed numbers are their thicknesses (z, from the common flat side). */
export function steppedWedge(thicknessesMm: number[], stepLengthMm: number, widthMm: number): Body {
  const length = thicknessesMm.length * stepLengthMm;
  const tallest = Math.max(...thicknessesMm);
  // One box per step, for the volume only; distances come from the outline.
  const steps = thicknessesMm.map((thickness, i) => ({
    x: -length / 2 + (i + 0.5) * stepLengthMm,
    z: -tallest / 2 + thickness / 2,
    half: [stepLengthMm / 2, widthMm / 2, thickness / 2] as Vector3,
  }));
  const inside = (x: number, z: number) => {
    const i = Math.floor((x + length / 2) / stepLengthMm);
    return i >= 0 && i < thicknessesMm.length && z > -tallest / 2 && z < -tallest / 2 + thicknessesMm[i];
  };
  // The outline in x, z as a closed polygon.
  const outline: [number, number][] = [
    [length / 2, -tallest / 2],
    [-length / 2, -tallest / 2],
  ];
  for (const [i, thickness] of thicknessesMm.entries()) {
    outline.push([-length / 2 + i * stepLengthMm, -tallest / 2 + thickness]);
    outline.push([-length / 2 + (i + 1) * stepLengthMm, -tallest / 2 + thickness]);
  }
  const sides = outline.map(([ax, az], i) => {
    const [bx, bz] = outline[(i + 1) % outline.length];
    const [ux, uz] = [bx - ax, bz - az];
    return { ax, az, ux, uz, length2: ux * ux + uz * uz };
  });
  const profileDistance = (x: number, z: number) => {
    let nearest = Number.POSITIVE_INFINITY;
    for (const { ax, az, ux, uz, length2 } of sides) {
      const t = length2 > 0 ? Math.min(Math.max(((x - ax) * ux + (z - az) * uz) / length2, 0), 1) : 0;
      const dx = x - ax - t * ux;
      const dz = z - az - t * uz;
      // Takes roots only for edges that may be nearer.
      if (dx * dx + dz * dz < 1.000001 * nearest * nearest)
        nearest = Math.min(nearest, measureLength(dx, dz));
    }
    return inside(x, z) ? -nearest : nearest;
  };
  const profileArea = thicknessesMm.reduce((sum, thickness) => sum + thickness * stepLengthMm, 0);
  const perimeter = outline.reduce((sum, [ax, az], i) => {
    const [bx, bz] = outline[(i + 1) % outline.length];
    return sum + Math.hypot(bx - ax, bz - az);
  }, 0);
  return {
    name: 'stepped wedge',
    distanceMm: (x, y, z) => {
      const qx = profileDistance(x, z);
      const qy = Math.abs(y) - widthMm / 2;
      return measureLength(Math.max(qx, 0), Math.max(qy, 0)) + Math.min(Math.max(qx, qy), 0);
    },
    boundsMm: {
      min: [-length / 2, -widthMm / 2, -tallest / 2],
      max: [length / 2, widthMm / 2, tallest / 2],
    },
    volumeMm3: steps.reduce((sum, { half }) => sum + 8 * half[0] * half[1] * half[2], 0),
    areaMm2: 2 * profileArea + perimeter * widthMm,
  };
}

export interface Pore {
  centerMm: Vector3;
  radiusMm: number;
}

/**
 * `count` spheres with radii in a range that touch neither each other nor the block's surface; fewer when space runs
 * out.
 */
export function scatterPores(
  sizeMm: Vector3,
  count: number,
  radiiMm: [number, number],
  seed: number,
): Pore[] {
  const random = seededRandom(seed);
  const pores: Pore[] = [];
  for (let tries = 0; pores.length < count && tries < count * 200; tries++) {
    const radiusMm = radiiMm[0] + random() * (radiiMm[1] - radiiMm[0]);
    const gap = radiiMm[0];
    const centerMm = sizeMm.map(
      (size) => (random() - 0.5) * Math.max(0, size - 2 * (radiusMm + gap)),
    ) as Vector3;
    const free = pores.every(
      (pore) => Math.hypot(...centerMm.map((c, k) => c - pore.centerMm[k])) > radiusMm + pore.radiusMm + gap,
    );
    if (free && sizeMm.every((size) => size > 2 * (radiusMm + gap))) pores.push({ centerMm, radiusMm });
  }
  return pores;
}

/** A box with spherical pores that do not overlap. */
export function porousBlock(sizeMm: Vector3, pores: Pore[]): Body {
  const block = box(sizeMm);
  return {
    name: 'porous block',
    distanceMm: (x, y, z) => {
      let distance = block.distanceMm(x, y, z);
      for (const { centerMm, radiusMm } of pores) {
        const dx = x - centerMm[0];
        const dy = y - centerMm[1];
        const dz = z - centerMm[2];
        const within = radiusMm - distance;
        // Takes roots only for pores that may change the result.
        if (within > 0 && dx * dx + dy * dy + dz * dz < 1.000001 * within * within)
          distance = Math.max(distance, radiusMm - measureLength(dx, dy, dz));
      }
      return distance;
    },
    boundsMm: block.boundsMm,
    volumeMm3:
      block.volumeMm3 - pores.reduce((sum, { radiusMm }) => sum + (4 / 3) * Math.PI * radiusMm ** 3, 0),
    areaMm2: block.areaMm2 + pores.reduce((sum, { radiusMm }) => sum + 4 * Math.PI * radiusMm ** 2, 0),
  };
}

/** The body, translated. */
export function movedBody(body: Body, by: Vector3): Body {
  // Found once: it is called some million times for each rendered part.
  const { distanceMm } = body;
  const [dx, dy, dz] = by;
  return {
    ...body,
    distanceMm: (x, y, z) => distanceMm(x - dx, y - dy, z - dz),
    boundsMm: {
      min: body.boundsMm.min.map((n, k) => n + by[k]) as Vector3,
      max: body.boundsMm.max.map((n, k) => n + by[k]) as Vector3,
    },
  };
}

/** The body, rotated about x, then y, then z (degrees) through the origin: keeps surfaces off the grid's axes. */
export function turnedBody(body: Body, [ax, ay, az]: Vector3): Body {
  const [sx, cx, sy, cy, sz, cz] = [ax, ay, az].flatMap((degrees) => {
    const angle = (degrees * Math.PI) / 180;
    return [Math.sin(angle), Math.cos(angle)];
  });
  const { distanceMm } = body;
  // Rows of Rz · Ry · Rx.
  const m = [
    [cz * cy, cz * sy * sx - sz * cx, cz * sy * cx + sz * sx],
    [sz * cy, sz * sy * sx + cz * cx, sz * sy * cx - cz * sx],
    [-sy, cy * sx, cy * cx],
  ];
  const [[xx, xy, xz], [yx, yy, yz], [zx, zy, zz]] = m;
  const min: Vector3 = [Infinity, Infinity, Infinity];
  const max: Vector3 = [-Infinity, -Infinity, -Infinity];
  for (let corner = 0; corner < 8; corner++) {
    const p = [0, 1, 2].map((k) => ((corner >> k) & 1 ? body.boundsMm.max[k] : body.boundsMm.min[k]));
    for (let k = 0; k < 3; k++) {
      const value = m[k][0] * p[0] + m[k][1] * p[1] + m[k][2] * p[2];
      min[k] = Math.min(min[k], value);
      max[k] = Math.max(max[k], value);
    }
  }
  return {
    ...body,
    // The inverse of a rotation is its transpose.
    distanceMm: (x, y, z) =>
      distanceMm(xx * x + yx * y + zx * z, xy * x + yy * y + zy * z, xz * x + yz * y + zz * z),
    boundsMm: { min, max },
  };
}
