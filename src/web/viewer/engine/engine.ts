import {
  BufferAttribute,
  BufferGeometry,
  DoubleSide,
  GLSL3,
  LinearSRGBColorSpace,
  LineSegments,
  Matrix4,
  Mesh,
  OrthographicCamera,
  PerspectiveCamera,
  Ray,
  Scene,
  ShaderMaterial,
  Vector3,
  WebGLRenderer,
  WebGLRenderTarget,
} from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { textureValue } from '#kernels/color/surface-texture.ts';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import {
  type Bounds,
  type Camera,
  distanceMm,
  fieldOfView,
  frame,
  type Point,
} from '#kernels/grid/camera.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { lineMaterial, lutTexture, pictureTexture, surfaceMaterial } from './surface-material.ts';

export interface SurfaceHit {
  pointWorld: Point;
  /** null = not measured there, or no scalar shown */
  value: number | null;
}

/** Everything that decides a frame besides the size; resolved, nothing left to default. */
export interface SceneState {
  camera: Camera;
  cursorWorld: Point;
  surface: ViewState['surface'];
  referenceVisible: boolean;
  /** limits of the colours */
  range: readonly [number, number];
  /** 256 · 3 bytes */
  lut: Uint8Array;
  clip: ViewState['clip'];
  /** corners of the scanned box, in the order of their binary number (bit 0 = i, 1 = j, 2 = k) */
  boxCorners: readonly Point[] | null;
  /** for each axis the ends of the line through the cursor */
  cursorLines: readonly (readonly [Point, Point])[];
}

const boxEdges = [0, 1, 2, 3, 4, 5, 6, 7, 0, 2, 1, 3, 4, 6, 5, 7, 0, 4, 1, 5, 2, 6, 3, 7];
const axisColours: Point[] = [
  [0.86, 0.33, 0.31],
  [0.31, 0.68, 0.33],
  [0.3, 0.53, 0.93],
];
/** Of a surface without values, and of what it is laid on. */
const plainColour = [0.74, 0.76, 0.79] as const;
export const referenceColour = [0.93, 0.55, 0.16] as const;
/** The reference over a surface; alone it hides what is behind it. */
const referenceOpacity = 0.4;
const samples = 4;

/** No WebGL2 here: software rendering is off, or the browser forbids it. Slices work without. */
export class WebGLMissing extends Error {}

/**
 * The 3D scene on one canvas: surface, box, cursor. Draws only when told to, keeps nothing of the page's state.
 * `dispose` gives the context back at once; a canvas is never used twice.
 */
export class Engine {
  readonly #canvas: HTMLCanvasElement;
  readonly #renderer: WebGLRenderer;
  readonly #scene = new Scene();
  readonly #orthographic = new OrthographicCamera();
  readonly #perspective = new PerspectiveCamera();
  readonly #material = surfaceMaterial(plainColour);
  readonly #referenceMaterial = surfaceMaterial(referenceColour);
  readonly #copy = copyScene();
  #target: WebGLRenderTarget | null = null;
  #mesh: Mesh<BufferGeometry, ShaderMaterial> | null = null;
  #bvh: MeshBVH | null = null;
  #surface: SurfaceData | null = null;
  #reference: Mesh<BufferGeometry, ShaderMaterial> | null = null;
  #scalar: string | null = null;
  #lut: Uint8Array | null = null;
  #box: LineSegments<BufferGeometry, ShaderMaterial>;
  #cursor: LineSegments<BufferGeometry, ShaderMaterial>[] = [];
  #state: SceneState | null = null;
  #sceneBounds: Bounds = { min: [-1, -1, -1], max: [1, 1, 1] };

  /** @throws WebGLMissing when there is no WebGL2 context to be had */
  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext('webgl2', {
      alpha: true,
      antialias: false,
      depth: true,
      premultipliedAlpha: true,
      preserveDrawingBuffer: false,
      powerPreference: 'high-performance',
    });
    if (!context) throw new WebGLMissing('This browser gives no WebGL 2 context.');
    this.#canvas = canvas;
    this.#renderer = new WebGLRenderer({ canvas, context });
    this.#renderer.outputColorSpace = LinearSRGBColorSpace; // bytes of the maps go out as they are
    this.#renderer.setClearColor(0x000000, 0);
    this.#renderer.autoClear = true;
    this.#box = lines([0.5, 0.52, 0.55], 0.45, true);
    this.#scene.add(this.#box);
    for (const colour of axisColours) {
      // Once behind the surface's depth, once faintly through it.
      for (const [opacity, depthTest] of [
        [0.95, true],
        [0.28, false],
      ] as const) {
        const line = lines(colour, opacity, depthTest);
        // An order of its own: what is drawn first would else follow from where the lines lay at their first frame.
        line.renderOrder = 2 + this.#cursor.length;
        this.#cursor.push(line);
        this.#scene.add(line);
      }
    }
  }

  /** Shows another surface, or none. The engine keeps the arrays. */
  setSurface(surface: SurfaceData | null): void {
    if (this.#mesh) {
      this.#scene.remove(this.#mesh);
      this.#mesh.geometry.dispose();
    }
    this.#mesh = null;
    this.#bvh = null;
    this.#surface = surface;
    this.#scalar = null;
    if (!surface) return;
    const geometry = geometryOf(surface);
    const { texture } = surface;
    if (texture && Math.max(texture.width, texture.height) <= this.#renderer.capabilities.maxTextureSize) {
      geometry.setAttribute('uv', new BufferAttribute(texture.coordinates, 2));
      const { uniforms } = this.#material;
      uniforms['picture'].value.dispose();
      uniforms['picture'].value = pictureTexture(texture.bytes, texture.width, texture.height);
      uniforms['pictureEnds'].value.set(texture.low, texture.high);
    }
    // The version is missing in the package's types; without it the tree would be taken for an older layout.
    const tree = { version: 1, roots: surface.bvhRoots, index: surface.indices, indirectBuffer: null };
    this.#bvh = MeshBVH.deserialize(tree, geometry, { setIndex: false });
    this.#mesh = new Mesh(geometry, this.#material);
    this.#mesh.frustumCulled = false;
    this.#mesh.renderOrder = 1;
    this.#scene.add(this.#mesh);
  }

  /**
   * Shows what the surface is laid on beside it, or nothing.
   *
   * @param matrix takes a point of the world to its place there; row by row
   */
  setReference(surface: SurfaceData | null, matrix: readonly number[]): void {
    if (this.#reference) {
      this.#scene.remove(this.#reference);
      this.#reference.geometry.dispose();
    }
    this.#reference = null;
    if (!surface) return;
    this.#reference = new Mesh(geometryOf(surface), this.#referenceMaterial);
    this.#reference.geometry.computeBoundingBox();
    this.#reference.applyMatrix4(new Matrix4().fromArray(matrix).transpose().invert());
    this.#reference.updateMatrixWorld();
    this.#reference.frustumCulled = false;
    this.#reference.renderOrder = 1.5;
    this.#scene.add(this.#reference);
  }

  /** Takes over what is to be seen; draws nothing yet. */
  apply(state: SceneState): void {
    this.#state = state;
    const { uniforms } = this.#material;
    if (state.lut !== this.#lut) {
      this.#lut = state.lut;
      uniforms['lut'].value.dispose();
      uniforms['lut'].value = lutTexture(state.lut);
    }
    uniforms['range'].value.set(...state.range);
    uniforms['exact'].value = !state.surface.shaded;
    uniforms['opacity'].value = state.surface.opacity;
    uniforms['clipped'].value = state.clip?.enabled ?? false;
    if (state.clip) uniforms['clipPlane'].value.set(...state.clip.normal, state.clip.offsetMm);
    if (this.#mesh && this.#surface) {
      this.#mesh.visible = state.surface.visible && state.surface.opacity > 0;
      this.#material.transparent = state.surface.opacity < 1;
      const values = state.surface.scalar === null ? undefined : this.#surface.scalars[state.surface.scalar];
      if (state.surface.scalar !== this.#scalar) {
        this.#scalar = state.surface.scalar;
        if (values) this.#mesh.geometry.setAttribute('scalar', new BufferAttribute(values, 1));
        else this.#mesh.geometry.deleteAttribute('scalar');
      }
      uniforms['coloured'].value = values !== undefined;
      uniforms['textured'].value =
        this.#scalar === this.#surface.texture?.name && this.#mesh.geometry.hasAttribute('uv');
    }
    if (this.#reference) {
      this.#reference.visible = state.referenceVisible;
      const isAlone = !this.#mesh?.visible;
      const reference = this.#referenceMaterial;
      reference.transparent = !isAlone;
      reference.depthWrite = isAlone;
      reference.uniforms['opacity'].value = isAlone ? 1 : referenceOpacity;
      for (const name of ['exact', 'clipped', 'clipPlane'])
        reference.uniforms[name].value = uniforms[name].value;
    }
    setLines(this.#box, state.boxCorners ? boxEdges.map((corner) => state.boxCorners![corner]) : []);
    for (let axis = 0; axis < 3; axis++) {
      const ends = state.cursorLines[axis] ?? [];
      setLines(this.#cursor[2 * axis], ends);
      setLines(this.#cursor[2 * axis + 1], ends);
    }
    this.#sceneBounds = boundsOfScene(this.#surface, this.#reference, state);
  }

  /**
   * Draws the frame on the canvas. `fine` smooths edges (four samples a pixel), which costs up to three times as much
   * and is left out while something moves.
   */
  draw(widthPx: number, heightPx: number, pixelRatio: number, fine: boolean): void {
    if (!this.#state || widthPx < 1 || heightPx < 1) return;
    const width = Math.round(widthPx * pixelRatio);
    const height = Math.round(heightPx * pixelRatio);
    if (this.#canvas.width !== width || this.#canvas.height !== height) {
      this.#renderer.setSize(width, height, false);
    }
    const camera = this.#placeCamera(width / height);
    this.#material.uniforms['hatchPx'].value = pixelRatio;
    // Smoothing mixes colours of neighbours, and a mixed colour is no entry of the map.
    if (!fine || !this.#state.surface.shaded) {
      this.#renderer.setRenderTarget(null);
      this.#renderer.render(this.#scene, camera);
      return;
    }
    const target = this.#targetOf(width, height);
    this.#renderer.setRenderTarget(target);
    this.#renderer.render(this.#scene, camera);
    this.#copy.material.uniforms['picture'].value = target.texture;
    this.#renderer.setRenderTarget(null);
    this.#renderer.render(this.#copy.scene, this.#copy.camera);
  }

  /** The scene in a picture of its own size, premultiplied RGBA, top row first; the canvas is left alone. */
  picture(widthPx: number, heightPx: number): Uint8ClampedArray<ArrayBuffer> {
    const bytes = new Uint8Array(widthPx * heightPx * 4);
    const target = new WebGLRenderTarget(widthPx, heightPx, {
      samples: this.#state?.surface.shaded === false ? 0 : samples,
      depthBuffer: true,
    });
    const camera = this.#placeCamera(widthPx / heightPx);
    this.#material.uniforms['hatchPx'].value = Math.max(1, heightPx / 600);
    this.#renderer.setRenderTarget(target);
    this.#renderer.render(this.#scene, camera);
    this.#renderer.readRenderTargetPixels(target, 0, 0, widthPx, heightPx, bytes);
    this.#renderer.setRenderTarget(null);
    target.dispose();
    const flipped = new Uint8ClampedArray(bytes.length);
    const row = widthPx * 4;
    for (let y = 0; y < heightPx; y++) {
      flipped.set(bytes.subarray((heightPx - 1 - y) * row, (heightPx - y) * row), y * row);
    }
    return flipped;
  }

  /** The first visible point of the surface under a place of the pane (CSS pixels). */
  pick(xPx: number, yPx: number, widthPx: number, heightPx: number): SurfaceHit | null {
    const [bvh, surface, state] = [this.#bvh, this.#surface, this.#state];
    if (!bvh || !surface || !state || !this.#mesh?.visible) return null;
    const camera = this.#placeCamera(widthPx / heightPx);
    const x = (xPx / widthPx) * 2 - 1;
    const y = 1 - (yPx / heightPx) * 2;
    const near = new Vector3(x, y, -1).unproject(camera);
    const far = new Vector3(x, y, 1).unproject(camera);
    const ray = new Ray(near, far.clone().sub(near).normalize());
    const { clip } = state;
    let hit = null;
    if (clip?.enabled) {
      const [a, b, c] = clip.normal;
      hit = bvh
        .raycast(ray, DoubleSide)
        .filter(({ point }) => a * point.x + b * point.y + c * point.z <= clip.offsetMm)
        .sort((one, other) => one.distance - other.distance)[0];
    } else {
      hit = bvh.raycastFirst(ray, DoubleSide);
    }
    if (!hit || hit.faceIndex === undefined || hit.faceIndex === null) return null;
    const { x: px, y: py, z: pz } = hit.point;
    return { pointWorld: [px, py, pz], value: this.#valueAt(surface, hit.faceIndex, hit.point) };
  }

  /** Where a point is on the pane, in CSS pixels. */
  project(pointWorld: Point, widthPx: number, heightPx: number): [number, number] {
    const projected = new Vector3(...pointWorld).project(this.#placeCamera(widthPx / heightPx));
    return [((projected.x + 1) / 2) * widthPx, ((1 - projected.y) / 2) * heightPx];
  }

  /** Gives back everything, the context at once: browsers keep only some sixteen of them alive. */
  dispose(): void {
    this.setSurface(null);
    this.setReference(null, []);
    for (const line of [this.#box, ...this.#cursor]) {
      line.geometry.dispose();
      line.material.dispose();
    }
    for (const material of [this.#material, this.#referenceMaterial]) {
      material.uniforms['lut'].value.dispose();
      material.uniforms['picture'].value.dispose();
      material.dispose();
    }
    this.#copy.material.dispose();
    this.#copy.geometry.dispose();
    this.#target?.dispose();
    this.#renderer.dispose();
    this.#renderer.forceContextLoss();
  }

  #valueAt(surface: SurfaceData, face: number, point: Vector3): number | null {
    const values = this.#scalar === null ? undefined : surface.scalars[this.#scalar];
    if (!values) return null;
    const corners = [0, 1, 2].map((k) => surface.indices[3 * face + k]);
    const [a, b, c] = corners.map((vertex) => new Vector3().fromArray(surface.positions, 3 * vertex));
    const [va, vb, vc] = corners.map((vertex) => values[vertex]);
    if (va === missingValue || vb === missingValue || vc === missingValue) return null;
    const [wa, wb, wc] = barycentric(point, a, b, c);
    const { texture } = surface;
    if (texture && texture.name === this.#scalar) {
      const [u, v] = [0, 1].map((k) => {
        const [ua, ub, uc] = corners.map((vertex) => texture.coordinates[2 * vertex + k]);
        return ua * wa + ub * wb + uc * wc;
      });
      return textureValue(texture, u, v);
    }
    return va * wa + vb * wb + vc * wc;
  }

  #placeCamera(aspect: number): OrthographicCamera | PerspectiveCamera {
    const state = this.#state;
    if (!state) return this.#orthographic;
    const { camera } = state;
    const { up, towards } = frame(camera);
    const { min, max } = this.#sceneBounds;
    const centre = min.map((low, k) => (low + max[k]) / 2);
    const radius = Math.hypot(max[0] - min[0], max[1] - min[1], max[2] - min[2]) / 2 || 1;
    const off = Math.hypot(...centre.map((value, k) => value - camera.target[k]));
    const reach = radius + off;
    const perspective = camera.projection === 'perspective';
    const away = perspective ? distanceMm(camera.heightMm) : reach * 1.01;
    const position = camera.target.map((value, k) => value + towards[k] * away);
    const placed = perspective ? this.#perspective : this.#orthographic;
    placed.position.set(position[0], position[1], position[2]);
    placed.up.set(...up);
    placed.lookAt(...camera.target);
    placed.far = away + reach * 1.01;
    if (placed instanceof PerspectiveCamera) {
      placed.near = Math.max(away - reach, away / 1000);
      placed.fov = (fieldOfView * 180) / Math.PI;
      placed.aspect = aspect;
    } else {
      placed.near = 0;
      placed.top = camera.heightMm / 2;
      placed.bottom = -placed.top;
      placed.right = placed.top * aspect;
      placed.left = -placed.right;
    }
    placed.updateProjectionMatrix();
    placed.updateMatrixWorld();
    return placed;
  }

  #targetOf(width: number, height: number): WebGLRenderTarget {
    if (this.#target?.width !== width || this.#target.height !== height) {
      this.#target?.dispose();
      this.#target = new WebGLRenderTarget(width, height, { samples, depthBuffer: true });
    }
    return this.#target;
  }
}

function lines(colour: Point, opacity: number, depthTest: boolean) {
  const line = new LineSegments(new BufferGeometry(), lineMaterial(colour, opacity, depthTest));
  line.frustumCulled = false;
  return line;
}

function setLines(line: LineSegments, points: readonly Point[]): void {
  const flat = points.flat();
  const attribute = line.geometry.getAttribute('position');
  if (attribute instanceof BufferAttribute && attribute.array.length === flat.length) {
    attribute.array.set(flat);
    attribute.needsUpdate = true;
  } else {
    line.geometry.setAttribute('position', new BufferAttribute(new Float32Array(flat), 3));
  }
  line.visible = flat.length > 0;
}

function geometryOf({ positions, normals, indices }: SurfaceData): BufferGeometry {
  const geometry = new BufferGeometry();
  geometry.setAttribute('position', new BufferAttribute(positions, 3));
  geometry.setAttribute('normal', new BufferAttribute(normals, 3));
  geometry.setIndex(new BufferAttribute(indices, 1));
  return geometry;
}

function boundsOfScene(surface: SurfaceData | null, reference: Mesh | null, state: SceneState): Bounds {
  const points = [...(state.boxCorners ?? []), state.cursorWorld];
  if (surface) points.push(surface.bounds.min, surface.bounds.max);
  if (reference?.geometry.boundingBox) {
    const { min, max } = reference.geometry.boundingBox.clone().applyMatrix4(reference.matrixWorld);
    points.push(min.toArray(), max.toArray());
  }
  const over = (pick: (...values: number[]) => number): Point =>
    [0, 1, 2].map((k) => pick(...points.map((point) => point[k]))) as Point;
  return { min: over(Math.min), max: over(Math.max) };
}

/** Weights of the corners of a triangle at a point in its plane. */
export function barycentric(point: Vector3, a: Vector3, b: Vector3, c: Vector3): [number, number, number] {
  const [u, v, w] = [b.clone().sub(a), c.clone().sub(a), point.clone().sub(a)];
  const [uu, uv, vv, wu, wv] = [u.dot(u), u.dot(v), v.dot(v), w.dot(u), w.dot(v)];
  const determinant = uu * vv - uv * uv;
  if (!(determinant > 0)) return [1, 0, 0];
  const wb = (vv * wu - uv * wv) / determinant;
  const wc = (uu * wv - uv * wu) / determinant;
  return [1 - wb - wc, wb, wc];
}

/** One triangle over the whole picture that copies a texture pixel by pixel. */
function copyScene() {
  const scene = new Scene();
  const camera = new OrthographicCamera();
  const geometry = new BufferGeometry();
  geometry.setAttribute(
    'position',
    new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3),
  );
  const material = new ShaderMaterial({
    glslVersion: GLSL3,
    vertexShader: 'void main() { gl_Position = vec4(position.xy, 0.0, 1.0); }',
    fragmentShader:
      'uniform sampler2D picture; out vec4 colour; void main() { colour = texelFetch(picture, ivec2(gl_FragCoord.xy), 0); }',
    uniforms: { picture: { value: null } },
    depthTest: false,
    depthWrite: false,
  });
  const triangle = new Mesh(geometry, material);
  triangle.frustumCulled = false;
  scene.add(triangle);
  return { scene, camera, geometry, material };
}
