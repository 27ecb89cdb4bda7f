/** Section caps of a part that is cut open, at the samples of a picture. */
import { type Camera, distanceMm, frame } from '../grid/camera.ts';
import { type CutAway, type CutFace, isOnSection, listFaces } from '../grid/cut-away.ts';
import { cutSurface } from '../grid/cut-surface.ts';
import { makePlaneFrame } from '../grid/turned-grid.ts';
import { add, dot, scale } from '../grid/vectors.ts';
import type { Vector3 } from '../grid/volume.ts';
import { type Band, onGrey, onPlain, project, type Surface } from './place-triangles.ts';

/** Contents of section caps: voxels above a grey value, or one colour within the contours of the surface. */
export type Section =
  | {
      kind: 'grey';
      /** the grey value at a point of the world; NaN where there is none */
      valueAt: (x: number, y: number, z: number) => number;
      level: number;
      /** displayed as black and white */
      greyLimits: readonly [number, number];
    }
  | { kind: 'plain' };

/** Where the ray of a sample hits a face, and whether the section cap is there. Created once per picture. */
export interface SectionFace {
  normal: Vector3;
  /** distance of the eye from the plane, mm along the normal */
  fromMm: number;
  /** change of that distance along the central ray, and per sample to the right and upwards */
  wayMm: readonly [number, number, number];
  /** contour edges in samples: x and y of both ends; null = wherever voxels are material */
  edges: Float32Array | null;
  own: number;
}

export interface Sections {
  faces: SectionFace[];
  section: Section;
  cuts: CutAway;
  camera: Camera;
  /** samples of the picture */
  width: number;
  height: number;
}

/** @param surface its contours bound the single colour; open ones enclose nothing */
export function openSections(
  section: Section,
  cuts: CutAway,
  camera: Camera,
  [width, height]: readonly [number, number],
  surface: Surface | null,
): Sections {
  const sections = { section, cuts, camera, width, height };
  const faces = listFaces(cuts).flatMap((face) => {
    const edges = section.kind === 'plain' ? surface && outlineSection(surface, face, sections) : null;
    return section.kind === 'plain' && !edges
      ? []
      : [{ ...aimAt(face, camera, height), edges, own: face.own }];
  });
  return { ...sections, faces };
}

function aimAt({ normal, offsetMm }: CutFace, camera: Camera, height: number) {
  const { right, up, towards } = frame(camera);
  const away = distanceMm(camera.heightMm);
  const eye = add(camera.target, scale(towards, away));
  const sampleMm = camera.heightMm / height;
  return {
    normal,
    fromMm: offsetMm - dot(normal, eye),
    wayMm: [-dot(normal, towards), dot(normal, right) * sampleMm, dot(normal, up) * sampleMm] as const,
  };
}

/** Edges of the closed contours in which a face cuts the surface; null when some are behind the eye. */
function outlineSection(
  surface: Surface,
  face: CutFace,
  { camera, width, height }: Omit<Sections, 'faces'>,
): Float32Array | null {
  const { right, up } = makePlaneFrame({ normal: face.normal, up: [0, 0, 0] });
  const rows = [...right, 0, ...up, 0, ...face.normal, -face.offsetMm];
  const { points, starts } = cutSurface(surface, rows);
  const off = scale(face.normal, face.offsetMm);
  const places = new Float32Array((points.length / 2) * 3);
  for (let i = 0; 2 * i < points.length; i++)
    places.set(add(off, add(scale(right, points[2 * i]), scale(up, points[2 * i + 1]))), 3 * i);
  const seen = project(places, camera, width, height);
  const edges: number[] = [];
  for (let line = 0; line + 1 < starts.length; line++) {
    const [first, last] = [starts[line], starts[line + 1] - 1];
    const isClosed = points[2 * first] === points[2 * last] && points[2 * first + 1] === points[2 * last + 1];
    if (!isClosed || last - first < 3) continue;
    for (let i = first; i < last; i++) {
      if (camera.projection === 'perspective' && !(seen[3 * i + 2] > 0)) return null;
      edges.push(seen[3 * i], seen[3 * i + 1], seen[3 * i + 3], seen[3 * i + 4]);
    }
  }
  return new Float32Array(edges);
}

/** Records section caps where they are nearer than what was recorded. O(samples · faces + rows · contour edges). */
export function placeSections(band: Band, sections: Sections): void {
  for (const [number, face] of sections.faces.entries()) {
    const crossings: number[] = [];
    for (let y = band.top; y < band.bottom; y++) {
      if (!face.edges) {
        placeSpan(band, sections, number, y, 0, band.width);
        continue;
      }
      crossings.length = 0;
      findCrossings(face.edges, y + 0.5, crossings);
      crossings.sort((one, other) => one - other);
      for (let i = 0; i + 1 < crossings.length; i += 2)
        placeSpan(
          band,
          sections,
          number,
          y,
          Math.max(0, Math.ceil(crossings[i] - 0.5)),
          Math.min(band.width, Math.ceil(crossings[i + 1] - 0.5)),
        );
    }
  }
}

function findCrossings(edges: Float32Array, y: number, found: number[]): void {
  for (let i = 0; i < edges.length; i += 4) {
    const [ay, by] = [edges[i + 1], edges[i + 3]];
    if (ay > y === by > y) continue;
    found.push(edges[i] + ((y - ay) / (by - ay)) * (edges[i + 2] - edges[i]));
  }
}

/** Samples of a row, from the first to one before the last. */
function placeSpan(
  band: Band,
  sections: Sections,
  number: number,
  y: number,
  from: number,
  to: number,
): void {
  const { faces, section, cuts, camera, width, height } = sections;
  const { fromMm, wayMm, own } = faces[number];
  const { right, up, towards } = frame(camera);
  const away = distanceMm(camera.heightMm);
  const isPerspective = camera.projection === 'perspective';
  const sampleMm = camera.heightMm / height;
  const slackMm = camera.heightMm * 1e-6;
  const point: Vector3 = [0, 0, 0];
  const { depth: nearest, triangles, weights } = band;
  const rise = height / 2 - (y + 0.5);
  const row = (y - band.top) * band.width;
  for (let x = from; x < to; x++) {
    const aside = x + 0.5 - width / 2;
    // Beside the central ray, rays start beside the eye (parallel) or spread from it (perspective).
    const offMm = aside * wayMm[1] + rise * wayMm[2];
    const depth = isPerspective ? fromMm / (wayMm[0] + offMm / away) : (fromMm - offMm) / wayMm[0];
    const at = row + x;
    if (!(depth < nearest[at]) || (isPerspective && depth <= 0)) continue;
    const spread = isPerspective ? depth / away : 1;
    for (let k = 0; k < 3; k++)
      point[k] =
        camera.target[k] +
        towards[k] * (away - depth) +
        (right[k] * aside + up[k] * rise) * sampleMm * spread;
    let grey = 0;
    if (section.kind === 'grey') {
      const value = section.valueAt(point[0], point[1], point[2]);
      if (!(value >= section.level)) continue;
      const [black, white] = section.greyLimits;
      grey = Math.min(1, Math.max(0, (value - black) / (white - black)));
    }
    if (!isOnSection(cuts, own, point, slackMm)) continue;
    nearest[at] = depth;
    triangles[at] = section.kind === 'grey' ? onGrey : onPlain;
    weights[2 * at] = grey;
    weights[2 * at + 1] = number;
  }
}
