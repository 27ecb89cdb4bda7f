/**
 * Ray casting through a volume as in the viewer's shader (web/viewer/engine/volume-shader.ts): the same samples,
 * lighting, transfer function, cuts and empty-space skipping. Positions along a ray are depths before the eye, mm.
 */
import { type Camera, distanceMm, frame } from '../grid/camera.ts';
import { type CutAway, type HalfSpace, listFaces } from '../grid/cut-away.ts';
import type { PackedVolume } from '../grid/pack-volume.ts';
import { planRays, type RayPlan, tableEntries } from '../grid/plan-rays.ts';
import type { VolumeLook } from '../grid/volume-look.ts';
import { voxelAt, voxelRows } from './voxels.ts';

export interface SeenVolume {
  packed: PackedVolume;
  look: VolumeLook;
}

/** Result of a ray: red, green, blue times opacity, 0 to 1, and the depth at which more than half is hidden. */
export interface RayEnd {
  red: number;
  green: number;
  blue: number;
  alpha: number;
  /** mm; `Infinity` when less than half is hidden */
  depth: number;
}

/**
 * @param rightMm position of the ray on the plane through the camera's target, relative to its centre
 * @param endMm depth of the object that hides the volume; `Infinity` without one
 * @param jitter start of the ray within its first step, 0 to 1; only for translucent styles
 * @returns the same object each time
 */
export type CastRay = (rightMm: number, upMm: number, endMm: number, jitter: number) => Readonly<RayEnd>;

const maxSteps = 2048;

/** Reads a transfer table with linear filtering as on a graphics card. @returns one of four channels, 0 to 1 */
function readTable(table: Uint8Array, value: number, channel: number): number {
  const place = Math.min(tableEntries - 1, Math.max(0, value * (tableEntries - 1)));
  const entry = place | 0;
  const next = Math.min(tableEntries - 1, entry + 1);
  const [from, to] = [table[4 * entry + channel], table[4 * next + channel]];
  return (from + (to - from) * (place - entry)) / 255;
}

interface Ray {
  /** in voxels: position at depth 0, and step per mm of depth */
  start: Float64Array;
  way: Float64Array;
  lengthPerMm: number;
  from: number;
  to: number;
  holeFrom: number;
  holeTo: number;
}

/** Creates a ray caster for a camera. @param stepVoxels distance between samples */
export function openRays(
  { packed, look }: SeenVolume,
  camera: Camera,
  cuts: CutAway,
  stepVoxels: number,
): CastRay {
  const plan = planRays(packed, look);
  const aim = openAim(packed, camera, cuts);
  const light = openLight(packed, camera);
  const end: RayEnd = { red: 0, green: 0, blue: 0, alpha: 0, depth: Infinity };
  const voxelMm = Math.min(...packed.grid.voxelSizeMm);
  const step = { perVoxel: stepVoxels, mm: stepVoxels * voxelMm };
  const march = { surface: marchSolid, bone: marchThrough, xray: marchSum, maximum: marchMaximum }[
    look.style
  ];
  const scene = { packed, look, plan, light, step };
  return (rightMm, upMm, endMm, jitter) => {
    end.red = end.green = end.blue = end.alpha = 0;
    end.depth = Infinity;
    const ray = aim(rightMm, upMm);
    // The measured surface and that of the volume coincide, and only one of them can be visible.
    const margin = look.style === 'surface' ? (2 * voxelMm) / ray.lengthPerMm : 0;
    ray.to = Math.min(ray.to, endMm - margin);
    if (ray.from < ray.to) march(scene, ray, ray.from + jitter * (step.mm / ray.lengthPerMm), end);
    return end;
  };
}

interface Marched {
  packed: PackedVolume;
  look: VolumeLook;
  plan: RayPlan;
  light: (x: number, y: number, z: number, voxelsAside: number) => { light: number; size: number };
  step: { perVoxel: number; mm: number };
}
type March = (scene: Marched, ray: Ray, first: number, end: RayEnd) => void;

/** Start, direction and end of rays within the part of the volume that is not cut away. */
function openAim(
  packed: PackedVolume,
  camera: Camera,
  cuts: CutAway,
): (rightMm: number, upMm: number) => Ray {
  const rows = voxelRows(packed);
  const { right, up, towards } = frame(camera);
  const away = distanceMm(camera.heightMm);
  const isPerspective = camera.projection === 'perspective';
  const sides = listFaces({ planes: [], hole: cuts.hole });
  const [origin, way] = [new Float64Array(3), new Float64Array(3)];
  const ray: Ray = {
    start: new Float64Array(3),
    way: new Float64Array(3),
    lengthPerMm: 1,
    from: 0,
    to: 0,
    holeFrom: 0,
    holeTo: 0,
  };
  const meet = ({ normal: n, offsetMm }: HalfSpace, rises: number) =>
    (offsetMm - n[0] * origin[0] - n[1] * origin[1] - n[2] * origin[2]) / (rises === 0 ? -1e-9 : rises);
  return (rightMm, upMm) => {
    for (let k = 0; k < 3; k++) {
      const aside = right[k] * rightMm + up[k] * upMm;
      origin[k] = camera.target[k] + towards[k] * away + (isPerspective ? 0 : aside);
      way[k] = (isPerspective ? aside / away : 0) - towards[k];
    }
    ray.lengthPerMm = Math.sqrt(way[0] ** 2 + way[1] ** 2 + way[2] ** 2);
    ray.from = isPerspective ? 0 : -Infinity;
    ray.to = Infinity;
    for (let i = 0; i < 3; i++) {
      const r = 4 * i;
      const start = rows[r] * origin[0] + rows[r + 1] * origin[1] + rows[r + 2] * origin[2] + rows[r + 3];
      const along = rows[r] * way[0] + rows[r + 1] * way[1] + rows[r + 2] * way[2] || 1e-12;
      ray.start[i] = start;
      ray.way[i] = along;
      const [one, other] = [-start / along, (packed.grid.dimensions[i] - start) / along];
      ray.from = Math.max(ray.from, Math.min(one, other));
      ray.to = Math.min(ray.to, Math.max(one, other));
    }
    for (const plane of cuts.planes) {
      const n = plane.normal;
      const rises = n[0] * way[0] + n[1] * way[1] + n[2] * way[2];
      const at = meet(plane, rises);
      if (rises > 0) ray.to = Math.min(ray.to, at);
      else ray.from = Math.max(ray.from, at);
    }
    // A hole removes what is behind all of its faces.
    ray.holeFrom = cuts.hole ? -Infinity : Infinity;
    ray.holeTo = Infinity;
    for (const side of sides) {
      const n = side.normal;
      const rises = n[0] * way[0] + n[1] * way[1] + n[2] * way[2];
      const at = meet(side, rises);
      if (rises > 0) ray.holeFrom = Math.max(ray.holeFrom, at);
      else ray.holeTo = Math.min(ray.holeTo, at);
    }
    if (ray.holeFrom >= ray.holeTo) ray.holeFrom = Infinity;
    if (ray.holeFrom <= ray.from) {
      ray.from = Math.max(ray.from, ray.holeTo);
      ray.holeFrom = Infinity;
    }
    return ray;
  };
}

/** Lighting as for surfaces without values; the normal points out of the denser side. */
function openLight(packed: PackedVolume, camera: Camera): Marched['light'] {
  const { directions: d, voxelSizeMm } = packed.grid;
  const { right, up, towards } = frame(camera);
  /** converts a gradient per voxel to the picture's right, up and towards the eye */
  const rows = [right, up, towards].map((axis) =>
    [0, 1, 2].map(
      (i) => (d[3 * i] * axis[0] + d[3 * i + 1] * axis[1] + d[3 * i + 2] * axis[2]) / voxelSizeMm[i],
    ),
  );
  const found = { light: 0.8, size: 0 };
  return (x, y, z, aside) => {
    const scale = 1 / (2 * aside * 65535);
    const gx = (voxelAt(packed, x + aside, y, z) - voxelAt(packed, x - aside, y, z)) * scale;
    const gy = (voxelAt(packed, x, y + aside, z) - voxelAt(packed, x, y - aside, z)) * scale;
    const gz = (voxelAt(packed, x, y, z + aside) - voxelAt(packed, x, y, z - aside)) * scale;
    found.size = Math.sqrt(gx * gx + gy * gy + gz * gz);
    const nx = rows[0][0] * gx + rows[0][1] * gy + rows[0][2] * gz;
    const ny = rows[1][0] * gx + rows[1][1] * gy + rows[1][2] * gz;
    const nz = rows[2][0] * gx + rows[2][1] * gy + rows[2][2] * gz;
    const length = Math.sqrt(nx * nx + ny * ny + nz * nz);
    if (!(length > 0)) {
      found.light = 0.8;
      return found;
    }
    const sign = (nz > 0 ? 1 : -1) / length;
    const key = Math.max(0, sign * (0.267 * nx + 0.534 * ny + 0.802 * nz));
    found.light = 0.34 + 0.46 * key + 0.2 * sign * nz;
    return found;
  };
}

/** Depth to which a ray may skip invisible bricks; 0 = sample here. */
function findLeap({ packed, plan, step }: Marched, ray: Ray, s: number, best: number): number {
  const [bx, by, bz] = packed.bricks.size;
  const { start, way } = ray;
  const qx = (start[0] + way[0] * s) / 8;
  const qy = (start[1] + way[1] * s) / 8;
  const qz = (start[2] + way[2] * s) / 8;
  const i = Math.min(bx - 1, Math.max(0, Math.floor(qx)));
  const j = Math.min(by - 1, Math.max(0, Math.floor(qy)));
  const k = Math.min(bz - 1, Math.max(0, Math.floor(qz)));
  const at = 2 * (i + bx * (j + by * k));
  let away = plan.leaps[at];
  if (away === 0) {
    if (plan.leaps[at + 1] / 255 > best) return 0;
    away = 1;
  }
  const exit = (q: number, brick: number, along: number) =>
    ((along > 0 ? brick + away : brick - away + 1) - q) / (along / 8);
  const least = Math.min(exit(qx, i, way[0]), exit(qy, j, way[1]), exit(qz, k, way[2]));
  const ds = step.mm / ray.lengthPerMm;
  return Math.max(1, Math.ceil(least / ds)) * ds;
}

/** Samples a ray until it is opaque or ends. @param best value above which a sample is visible */
function walk(
  scene: Marched,
  ray: Ray,
  first: number,
  visit: (value: number, s: number, opened: number) => boolean,
  best = () => -1,
): void {
  const { packed, step } = scene;
  const { start, way } = ray;
  const ds = step.mm / ray.lengthPerMm;
  let s = first;
  // Depth at which the ray leaves the cut-away region.
  let opened = ray.from;
  let holeFrom = ray.holeFrom;
  for (let i = 0; i < maxSteps; i++) {
    if (s > holeFrom) {
      if (s < ray.holeTo) s = opened = ray.holeTo;
      holeFrom = Infinity;
    }
    if (s > ray.to) return;
    const leap = findLeap(scene, ray, s, best());
    if (leap > 0) {
      s += leap;
      continue;
    }
    const value =
      voxelAt(packed, start[0] + way[0] * s, start[1] + way[1] * s, start[2] + way[2] * s) / 65535;
    if (visit(value, s, opened)) return;
    s += ds;
  }
}

const marchSolid: March = (scene, ray, first, end) => {
  const { packed, look, plan, light, step } = scene;
  const { start, way } = ray;
  const [black, white] = look.greyLimits.map((grey) => (grey - packed.low) / (packed.high - packed.low));
  const ds = step.mm / ray.lengthPerMm;
  const valueAt = (s: number) =>
    voxelAt(packed, start[0] + way[0] * s, start[1] + way[1] * s, start[2] + way[2] * s) / 65535;
  walk(scene, ray, first, (value, s, opened) => {
    if (value < plan.level) return false;
    end.alpha = 1;
    if (s <= opened) {
      // Cut open here by a plane or by the end of the scan: one colour, or grey values as on a slice.
      const grey = Math.min(1, Math.max(0, (value - black) / (white - black)));
      [end.red, end.green, end.blue] = look.cutColour ?? [grey, grey, grey];
      end.depth = s;
      return true;
    }
    let outside = Math.max(opened, s - ds);
    let inside = s;
    for (let k = 0; k < 6; k++) {
      const middle = (outside + inside) / 2;
      if (valueAt(middle) >= plan.level) inside = middle;
      else outside = middle;
    }
    const [x, y, z] = [start[0] + way[0] * inside, start[1] + way[1] * inside, start[2] + way[2] * inside];
    const within = Math.max(plan.level, lookInwards(packed, x, y, z));
    const lit = light(x, y, z, 1.5).light;
    end.red = readTable(plan.table, within, 0) * lit;
    end.green = readTable(plan.table, within, 1) * lit;
    end.blue = readTable(plan.table, within, 2) * lit;
    end.depth = inside;
    return true;
  });
};

/** The value a few voxels further into the denser side. */
function lookInwards(packed: PackedVolume, x: number, y: number, z: number): number {
  const gx = voxelAt(packed, x + 1.5, y, z) - voxelAt(packed, x - 1.5, y, z);
  const gy = voxelAt(packed, x, y + 1.5, z) - voxelAt(packed, x, y - 1.5, z);
  const gz = voxelAt(packed, x, y, z + 1.5) - voxelAt(packed, x, y, z - 1.5);
  const further = 2.5 / (Math.sqrt(gx * gx + gy * gy + gz * gz) || Infinity);
  return voxelAt(packed, x + gx * further, y + gy * further, z + gz * further) / 65535;
}

const marchThrough: March = (scene, ray, first, end) => {
  const { plan, light, step } = scene;
  const { start, way } = ray;
  walk(scene, ray, first, (value, s) => {
    const opacity = readTable(plan.table, value, 3);
    if (!(opacity > 0)) return false;
    const alpha = 1 - (1 - opacity) ** step.perVoxel;
    const found = light(start[0] + way[0] * s, start[1] + way[1] * s, start[2] + way[2] * s, 1);
    const lit = 0.85 + (found.light - 0.85) * Math.min(1, (2 * found.size) / plan.contrast);
    const share = (1 - end.alpha) * alpha;
    end.red += share * readTable(plan.table, value, 0) * lit;
    end.green += share * readTable(plan.table, value, 1) * lit;
    end.blue += share * readTable(plan.table, value, 2) * lit;
    end.alpha += share;
    if (end.depth === Infinity && end.alpha > 0.5) end.depth = s;
    return end.alpha > 0.98;
  });
};

const marchSum: March = (scene, ray, first, end) => {
  const { plan, step } = scene;
  let [red, green, blue, sum] = [0, 0, 0, 0];
  walk(scene, ray, first, (value) => {
    const opacity = readTable(plan.table, value, 3);
    if (opacity === 0) return false;
    red += readTable(plan.table, value, 0) * opacity;
    green += readTable(plan.table, value, 1) * opacity;
    blue += readTable(plan.table, value, 2) * opacity;
    sum += opacity;
    return false;
  });
  if (!(sum > 0)) return;
  end.alpha = 1 - Math.exp(-plan.density * sum * step.mm);
  end.red = (red / sum) * end.alpha;
  end.green = (green / sum) * end.alpha;
  end.blue = (blue / sum) * end.alpha;
};

const marchMaximum: March = (scene, ray, first, end) => {
  let best = 0;
  walk(
    scene,
    ray,
    first,
    (value) => {
      if (value > best) best = value;
      return best > 0.99999;
    },
    () => best,
  );
  if (best === 0) return;
  const { table } = scene.plan;
  end.alpha = readTable(table, best, 3);
  end.red = readTable(table, best, 0) * end.alpha;
  end.green = readTable(table, best, 1) * end.alpha;
  end.blue = readTable(table, best, 2) * end.alpha;
};
