/** Draws a scene like the viewer, on the processor: surfaces, section caps, a volume. */
import { sectionColour } from '../color/scene-ground.ts';
import { measureBounds } from '../color/vertex-areas.ts';
import { joinBounds } from '../grid/bounds.ts';
import { type Bounds, type Camera, distanceMm, frame } from '../grid/camera.ts';
import { isAnythingCut } from '../grid/cut-away.ts';
import { dot } from '../grid/vectors.ts';
import {
  addThrough,
  layThrough,
  measureReach,
  openSums,
  type Reach,
  type ThroughSums,
  type ThroughSurface,
} from './add-through.ts';
import type { SeenVolume } from './cast-rays.ts';
import { lineAt } from './edge-lines.ts';
import { findHollows, readHollows } from './find-hollows.ts';
import { fillPane, type Ground, groundAt, type Pane } from './pane.ts';
import { openSections, placeSections, type Section, type Sections } from './place-sections.ts';
import {
  type Band,
  facesEye,
  onGrey,
  placeTriangle,
  project,
  type Surface,
  unitNormalAt,
} from './place-triangles.ts';
import { type Cast, castBand, findRay, openSceneRays, type Rays, type TakeTurns } from './scene-rays.ts';
import { createShader, FINER, type SurfaceLook } from './shade-surface.ts';

export interface SceneContent {
  surface?: Surface | null;
  /** a part around the surface, with its own look */
  around?: { surface: Surface; look: SurfaceLook } | null;
  /** caps of the cuts; absent or null = open */
  section?: Section | null;
  volume?: SeenVolume | null;
  /** bounds of everything in the scene; default: those of its surfaces */
  bounds?: Bounds | null;
}

/** Samples in memory at a time, up to 60 bytes each: if there are few triangles, as few as the processor's cache holds. */
const BAND_SAMPLES = { least: 250_000, most: 3_000_000 };
/** Triangles that are passed over in all smaller bands together. */
const PASSED_TRIANGLES = 2_000_000;
/** Triangles between two yields to other tasks of this process. */
const TRIANGLES_A_TURN = 200_000;
/** The opaque surface, and what is drawn with it. */
interface Scene extends ThroughSurface {
  through: ThroughSurface[];
  reach: Reach;
  sections: Sections | null;
  rays: Rays | null;
  /** ambient occlusion of opaque surfaces at a pixel of the pane, as a share of the light; null = none */
  hollows: ((x: number, y: number) => number) | null;
  pane: Pane;
}

/** Data of the rows of a band before they are painted. */
interface Painted {
  opaque: Band;
  /** null when nothing is transparent */
  through: ThroughSums | null;
  cast: Cast | null;
}

/**
 * Draws a scene into a pane: depth buffer, four samples per pixel, the viewer's lighting, colours and blending.
 * Processed in bands of rows, so that 4K takes no more memory than a small picture. O(bands · triangles + samples
 * covered + samples along rays).
 *
 * @param ground a picture with four channels stays transparent where nothing is
 * @returns depth of the nearest opaque object at each pixel, mm before the eye
 */
export async function drawScene(
  pane: Pane,
  things: SceneContent,
  look: SurfaceLook,
  takeTurns: TakeTurns,
  ground: Ground,
): Promise<Float32Array> {
  if (pane.picture.channels === 3) fillPane(pane, ground);
  const nearest = new Float32Array(pane.width * pane.height).fill(Infinity);
  const { surface = null, around = null, section = null, volume = null, bounds = null } = things;
  const isSeen = surface !== null && look.opacity > 0;
  if (!isSeen && !around && !section && !volume) return nearest;
  const scene = openScene(pane, { surface: isSeen ? surface : null, around, section, volume, bounds }, look);
  const width = pane.width * FINER;
  const [samples, triangles] = [width * pane.height * FINER, scene.surface.indices.length / 3];
  const inBand = Math.min(
    BAND_SAMPLES.most,
    Math.max(BAND_SAMPLES.least, (samples * triangles) / PASSED_TRIANGLES),
  );
  const rowsOfBand = Math.min(pane.height, Math.max(1, Math.floor(inBand / (width * FINER))));
  const isSolid = scene.surface.indices.length > 0 || scene.sections !== null;
  if (look.hollows && look.shaded && isSolid) scene.hollows = await openHollows(scene, things, takeTurns);
  const hasLines = look.edges && look.shaded && isSolid;
  const margin = hasLines ? measureLine(pane) : 0;
  const opaque = openBand(width, rowsOfBand * FINER, margin, look.shaded && isSolid);
  for (let row = 0; row < pane.height; row += rowsOfBand) {
    const rows = Math.min(rowsOfBand, pane.height - row);
    moveBand(opaque, row * FINER, rows * FINER);
    await placeTriangles(opaque, scene, takeTurns);
    if (scene.sections) placeSections(opaque, scene.sections);
    findNormals(opaque, scene);
    const cast = scene.rays && (await castBand(opaque, scene, scene.rays, takeTurns));
    const through = await addAllThrough({ opaque, cast }, scene, takeTurns);
    paintBand({ opaque, through, cast }, scene, ground, nearest);
  }
  return nearest;
}

const noSurface = (): Surface => ({
  positions: new Float32Array(),
  normals: null,
  indices: new Uint32Array(),
});

function openScene(
  pane: Pane,
  { surface, around, section, volume, bounds }: Required<SceneContent>,
  look: SurfaceLook,
): Scene {
  const { camera, cuts } = look;
  const [width, height] = [pane.width * FINER, pane.height * FINER];
  const seen = [...(surface ? [{ surface, look }] : []), ...(around ? [around] : [])].map((thing) => {
    const points = project(thing.surface.positions, camera, width, height);
    const shader = createShader(thing.surface, thing.look, Math.max(1, pane.height / 600));
    return { ...thing, points, shader };
  });
  const solid = seen.find((thing) => thing.look.opacity === 1);
  const opaque = solid?.surface ?? noSurface();
  const points = solid?.points ?? new Float32Array();
  return {
    surface: opaque,
    look: solid?.look ?? look,
    points,
    through: seen.filter((thing) => thing.look.opacity < 1),
    reach: measureReach(
      camera,
      bounds ?? joinBounds(seen.map((thing) => measureBounds(thing.surface.positions))),
    ),
    sections: section && openSections(section, cuts, camera, [width, height], surface),
    rays: volume && openSceneRays(volume, look, width * height),
    shader: solid?.shader ?? createShader(opaque, look, 1),
    hollows: null,
    pane,
  };
}

/** Draws opaque surfaces once at half resolution to compute ambient occlusion. */
async function openHollows(
  { surface, look, pane }: Scene,
  { section = null, surface: cut = null, bounds }: SceneContent,
  takeTurns: TakeTurns,
): Promise<(x: number, y: number) => number> {
  const [width, height] = [Math.ceil(pane.width / 2), Math.ceil(pane.height / 2)];
  const { camera, cuts } = look;
  const sections = section && openSections(section, cuts, camera, [width, height], cut);
  const points = project(surface.positions, camera, width, height);
  const band = openBand(width, height, 0, true);
  await placeTriangles(band, { surface, look, points }, takeTurns);
  if (sections) placeSections(band, sections);
  findNormals(band, { surface, look, sections, points });
  const { min, max } = bounds ?? measureBounds(surface.positions);
  const radiusMm = 0.05 * Math.hypot(...max.map((high, k) => high - min[k]));
  const light = findHollows(band, camera, radiusMm);
  const [across, down] = [1 / pane.width, 1 / pane.height];
  return (x, y) => readHollows(light, width, (x + 0.5) * across, (y + 0.5) * down);
}

/** Sums of all transparent surfaces in front of opaque ones; null when there are none. */
async function addAllThrough(
  { opaque, cast }: Pick<Painted, 'opaque' | 'cast'>,
  { through, reach }: Scene,
  takeTurns: TakeTurns,
): Promise<ThroughSums | null> {
  if (through.length === 0) return null;
  const { width, margin } = opaque;
  const [from, to] = [width * margin, opaque.depth.length - width * margin];
  const depth = opaque.depth.slice(from, to);
  if (cast)
    for (let at = 0; at < depth.length; at++)
      depth[at] = Math.min(depth[at], cast.depth[findRay(cast, at, width)]);
  const band = { ...opaque, top: opaque.top + margin, bottom: opaque.bottom - margin, margin: 0, depth };
  const sums = openSums(depth.length);
  for (const thing of through) {
    const takeTurn = (t: number) => (t % (3 * TRIANGLES_A_TURN) === 0 ? takeTurns() : null);
    await addThrough(sums, band, thing, reach, takeTurn);
  }
  return sums;
}

function openBand(width: number, rows: number, margin: number, hasNormals: boolean): Band {
  const samples = width * (rows + 2 * margin);
  return {
    width,
    top: -margin,
    bottom: rows + margin,
    margin,
    normals: new Float32Array(hasNormals ? 3 * samples : 0),
    depth: new Float32Array(samples).fill(Infinity),
    triangles: new Int32Array(samples).fill(-1),
    weights: new Float32Array(2 * samples),
  };
}

/** Empties a band for other rows, no more than it was opened with. */
function moveBand(band: Band, top: number, rows: number): void {
  const { margin, width } = band;
  const samples = width * (rows + 2 * margin);
  band.top = top - margin;
  band.bottom = top + rows + margin;
  band.depth = band.depth.subarray(0, samples).fill(Infinity);
  band.triangles = band.triangles.subarray(0, samples).fill(-1);
}

async function placeTriangles(
  band: Band,
  { surface, look, points }: Pick<Scene, 'surface' | 'look' | 'points'>,
  takeTurns: TakeTurns,
) {
  for (let t = 0; t < surface.indices.length; t += 3) {
    if (t % (3 * TRIANGLES_A_TURN) === 0) await takeTurns();
    placeTriangle(band, surface, look, points, t);
  }
}

/** Width of a line in samples, proportional to the size of the picture. */
const measureLine = ({ height }: Pane) => FINER * Math.max(1, Math.round(height / 600));

/** Unit normals at the samples, facing the eye, if the band has any. */
function findNormals(
  band: Band,
  { surface, look, sections, points }: Pick<Scene, 'surface' | 'look' | 'sections' | 'points'>,
): void {
  const { triangles, weights, normals } = band;
  if (normals.length === 0) return;
  const { towards } = frame(look.camera);
  const found = new Float64Array(3);
  for (let at = 0; at < triangles.length; at++) {
    const triangle = triangles[at];
    if (triangle === -1) continue;
    if (triangle < 0) {
      const normal = sections?.faces[weights[2 * at + 1]].normal ?? towards;
      const side = dot(normal, towards) >= 0 ? 1 : -1;
      for (let k = 0; k < 3; k++) found[k] = side * normal[k];
    } else {
      // By the side of the triangle that is visible: its smooth normal may point away although its front is visible.
      const isFront = facesEye(surface, points, triangle);
      unitNormalAt(surface, triangle, weights[2 * at], weights[2 * at + 1], isFront, found);
    }
    normals[3 * at] = found[0];
    normals[3 * at + 1] = found[1];
    normals[3 * at + 2] = found[2];
  }
}

/** Brightness factor of each sample: reduced on lines. */
function makeLines(band: Band, camera: Camera, { height }: Pick<Pane, 'height'>): (at: number) => number {
  if (band.margin === 0) return () => 1;
  const { projection, heightMm } = camera;
  const mm = (band.margin * heightMm) / (height * FINER);
  const away = distanceMm(heightMm);
  return (at) =>
    1 - lineAt(band, at, band.margin, projection === 'perspective' ? (mm * band.depth[at]) / away : mm);
}

/** Converts the samples of a band to pixels over the background. */
function paintBand(
  { opaque, through, cast }: Painted,
  scene: Scene,
  ground: Ground,
  nearest: Float32Array,
): void {
  const { pane, hollows } = scene;
  const { picture, width } = pane;
  const { channels, samples } = picture;
  const { triangles } = opaque;
  const isBare = !cast && !through;
  const isClear = channels === 4;
  const paint = samplePainter({ opaque, through, cast }, scene);
  const first = opaque.top + opaque.margin;
  const sum = new Float64Array(5);
  for (let y = first; y < opaque.bottom - opaque.margin; y += FINER) {
    const under = groundAt(ground, (y / FINER + 0.5) / pane.height);
    let to = ((pane.y + y / FINER) * picture.width + pane.x) * channels;
    for (let x = 0; x < opaque.width; x += FINER, to += channels) {
      const at = (y - opaque.top) * opaque.width + x;
      if (isBare && isNothing(triangles, at, opaque.width)) continue;
      sum[0] = sum[1] = sum[2] = sum[3] = 0;
      sum[4] = Infinity;
      const light = hollows ? hollows(x / FINER, y / FINER) : 1;
      for (let sy = y; sy < y + FINER; sy++) for (let sx = x; sx < x + FINER; sx++) paint(sum, sx, sy, light);
      nearest[(y / FINER) * width + x / FINER] = sum[4];
      if (sum[3] === 0) continue;
      const share = sum[3] / FINER ** 2;
      for (let k = 0; k < 3; k++)
        samples[to + k] = Math.round(
          isClear ? sum[k] / sum[3] : under[k] * (1 - share) + sum[k] / FINER ** 2,
        );
      if (isClear) samples[to + 3] = Math.round(255 * share);
    }
  }
}

/** Whether none of a pixel's samples shows anything; `at` is its first sample. */
function isNothing(triangles: Int32Array, at: number, width: number): boolean {
  for (let row = 0; row < FINER; row++)
    for (let column = 0; column < FINER; column++)
      if (triangles[at + row * width + column] !== -1) return false;
  return true;
}

/**
 * Adds a sample: red, green, blue (0 to 255) times opacity, opacity, and the least depth. Allocates nothing. `light`: the
 * share that reaches it
 */
function samplePainter(
  { opaque, through, cast }: Painted,
  { look, pane, shader, surface, points }: Scene,
): (sum: Float64Array, x: number, y: number, light: number) => void {
  const dim = makeLines(opaque, look.camera, pane);
  const first = opaque.top + opaque.margin;
  const colour = new Float64Array(3);
  const pixel = { x: 0, y: 0 };
  const isOpaque = !cast && !through;
  const isCut = isAnythingCut(look.cuts);
  const { normals } = opaque;
  return (sum, x, y, light) => {
    const at = (y - opaque.top) * opaque.width + x;
    const thing = opaque.triangles[at];
    if (isOpaque && thing === -1) return;
    pixel.x = x;
    pixel.y = y;
    let alpha = 0;
    let depth = opaque.depth[at];
    colour[0] = colour[1] = colour[2] = 0;
    if (thing !== -1) {
      alpha = 1;
      const b = opaque.weights[2 * at];
      let brightness = dim(at) * light;
      if (thing >= 0 && look.shaded) {
        const isFront = !isCut || facesEye(surface, points, thing);
        brightness *= shader.light(normals[3 * at], normals[3 * at + 1], normals[3 * at + 2], isFront);
      }
      if (thing >= 0) shader.addColour(colour, thing, b, opaque.weights[2 * at + 1], pixel, brightness);
      else addSection(colour, thing, b, brightness);
    }
    const inside = (y - first) * opaque.width + x;
    if (cast) {
      const ray = findRay(cast, inside, opaque.width);
      const over = cast.colours[4 * ray + 3];
      for (let k = 0; k < 3; k++) colour[k] = 255 * cast.colours[4 * ray + k] + colour[k] * (1 - over);
      alpha = over + alpha * (1 - over);
      depth = Math.min(depth, cast.depth[ray]);
    }
    if (through) {
      const over = layThrough(colour, through, inside);
      alpha = over + alpha * (1 - over);
    }
    sum[0] += colour[0];
    sum[1] += colour[1];
    sum[2] += colour[2];
    sum[3] += alpha;
    if (depth < sum[4]) sum[4] = depth;
  };
}

function addSection(colour: Float64Array, kind: number, grey: number, brightness: number): void {
  for (let k = 0; k < 3; k++) colour[k] += 255 * (kind === onGrey ? grey : sectionColour[k]) * brightness;
}
