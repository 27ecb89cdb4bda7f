import {
  AddEquation,
  AlwaysDepth,
  BufferAttribute,
  BufferGeometry,
  type Camera,
  CustomBlending,
  Data3DTexture,
  DataTexture,
  type DepthTexture,
  GLSL3,
  LinearFilter,
  Matrix3,
  Matrix4,
  Mesh,
  NearestFilter,
  OneFactor,
  RGBAFormat,
  RGFormat,
  UnsignedByteType,
  Vector2,
  Vector3,
  Vector4,
} from 'three';
import { raysGround } from '#kernels/color/scene-ground.ts';
import { findBounds } from '#kernels/grid/bounds.ts';
import type { Bounds, Point } from '#kernels/grid/camera.ts';
import { type HalfSpace, listFaces } from '#kernels/grid/cut-away.ts';
import type { PackedVolume } from '#kernels/grid/pack-volume.ts';
import { planRays } from '#kernels/grid/plan-rays.ts';
import { maxCuts } from './cut-shader.ts';
import type { Layer, SceneState } from './layer.ts';
import { createShader } from './shader-material.ts';
import { styleNumbers, volumeFragment, wholePictureVertex } from './volume-shader.ts';

const darkGround = new Vector4(...raysGround.map((byte) => byte / 255), 1);
const noGround = new Vector4(0, 0, 0, 0);

/** Ray parameters, such as the step in voxels: for solid styles, which end a ray at once, and for translucent ones. */
export interface RaySteps {
  solid: number;
  translucent: number;
}

/** The scan itself: rays through its voxels. Drawn by `SceneFrame` between opaque and translucent objects. */
export class VolumeLayer implements Layer {
  readonly kind = 'volume';
  /** one triangle over the whole picture */
  readonly mesh: Mesh<BufferGeometry, ReturnType<typeof rayMaterial>>;
  /** the volume set; the layer keeps a reference to the arrays */
  packed: PackedVolume | null = null;
  /** from the volume's own space, 0 to 1, to the world */
  readonly toWorld = new Matrix4();
  #drawn = '';
  #visible = false;
  #state: SceneState['volume'] | null = null;

  constructor() {
    const geometry = new BufferGeometry();
    const corners = new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]);
    geometry.setAttribute('position', new BufferAttribute(corners, 3));
    this.mesh = new Mesh(geometry, rayMaterial());
    this.mesh.frustumCulled = false;
  }

  get visible(): boolean {
    return this.#visible && this.packed !== null;
  }

  readonly opacity = 1;

  /** Uniforms for shaders that read the same voxels; shared, so that they also get a new volume. */
  get voxelUniforms() {
    const { voxels, byteWeights } = this.mesh.material.uniforms;
    return { voxels, byteWeights };
  }

  /** The background of the whole picture while the volume is drawn; fully transparent for none. */
  get ground(): Vector4 {
    return this.#state?.isOnDark ? darkGround : noGround;
  }

  /** Sets the volume; null removes it. The layer keeps a reference to the arrays. */
  setVolume(packed: PackedVolume | null): void {
    const { uniforms } = this.mesh.material;
    uniforms['voxels'].value.dispose();
    this.packed = packed;
    this.#drawn = '';
    uniforms['voxels'].value = packed ? voxelTexture(packed) : emptyVolume();
    if (!packed) return;
    const { dimensions, voxelSizeMm, originMm, directions: d } = packed.grid;
    const step = (axis: 0 | 1 | 2) => new Vector3().fromArray(d, 3 * axis).multiplyScalar(voxelSizeMm[axis]);
    const [x, y, z] = [step(0), step(1), step(2)];
    // The volume's corner, half a voxel before the centre of the first.
    const corner = new Vector3(...originMm).addScaledVector(x.clone().add(y).add(z), -0.5);
    const [nx, ny, nz] = dimensions;
    this.toWorld
      .makeBasis(x.multiplyScalar(nx), y.multiplyScalar(ny), z.multiplyScalar(nz))
      .setPosition(corner);
    uniforms['dimensions'].value.set(...dimensions);
    uniforms['bricks'].value.set(...packed.bricks.size);
    uniforms['voxelMm'].value = Math.min(...voxelSizeMm);
    uniforms['volumeToWorld'].value.setFromMatrix4(this.toWorld);
  }

  bounds(): Bounds | null {
    if (!this.visible) return null;
    const corners = Array.from(
      { length: 8 },
      (_, corner): Point =>
        new Vector3(corner & 1, (corner >> 1) & 1, (corner >> 2) & 1).applyMatrix4(this.toWorld).toArray(),
    );
    return findBounds(corners);
  }

  apply(state: SceneState): void {
    const { volume, cuts } = state;
    this.#state = volume;
    this.#visible = volume.visible;
    const packed = this.packed;
    if (!packed || !volume.visible) return;
    const { uniforms } = this.mesh.material;
    const toPlace = (grey: number) => (grey - packed.low) / (packed.high - packed.low);
    uniforms['greyWindow'].value.set(...volume.greyLimits.map(toPlace));
    uniforms['hasCutColour'].value = volume.cutColour !== null;
    uniforms['cutColour'].value.set(...(volume.cutColour ?? [0, 0, 0]));
    const { planes, hole } = cuts;
    const place = ({ normal, offsetMm }: HalfSpace, into: Vector4 | undefined) => {
      const own = new Vector3(...normal);
      const offset = offsetMm - own.dot(new Vector3().setFromMatrixPosition(this.toWorld));
      own.applyMatrix3(new Matrix3().setFromMatrix4(this.toWorld).transpose());
      into?.set(own.x, own.y, own.z, offset);
    };
    for (const [i, plane] of planes.entries()) place(plane, uniforms['cuts'].value[i]);
    for (const [i, side] of listFaces({ planes: [], hole }).entries())
      place(side, uniforms['holeSides'].value[i]);
    uniforms['cutCount'].value = planes.length;
    uniforms['hasHole'].value = hole !== null;
    const drawn = JSON.stringify([volume.style, volume.curve]);
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.#applyCurve(packed, volume);
  }

  #applyCurve(packed: PackedVolume, look: SceneState['volume']): void {
    const { uniforms } = this.mesh.material;
    const { table, level, contrast, density, leaps } = planRays(packed, look);
    uniforms['curve'].value.dispose();
    uniforms['curve'].value = tableTexture(table);
    uniforms['style'].value = styleNumbers[look.style];
    uniforms['level'].value = level;
    uniforms['contrast'].value = contrast;
    uniforms['density'].value = density;
    uniforms['leaps'].value.dispose();
    uniforms['leaps'].value = texture3D(leaps, packed.bricks.size, NearestFilter);
  }

  /** The value for the current style. */
  choose({ solid, translucent }: RaySteps): number {
    return this.#state?.style === 'surface' ? solid : translucent;
  }

  /** Sets the origin of the rays, the depth at which they end, and the step in voxels; then `mesh` is drawn. */
  aim(camera: Camera, before: DepthTexture, step: number): void {
    const { uniforms } = this.mesh.material;
    const toClip = new Matrix4()
      .multiplyMatrices(camera.projectionMatrix, camera.matrixWorldInverse)
      .multiply(this.toWorld);
    uniforms['volumeToClip'].value.copy(toClip);
    uniforms['clipToVolume'].value.copy(toClip).invert();
    const toView = new Matrix4().multiplyMatrices(camera.matrixWorldInverse, this.toWorld);
    uniforms['gradientToView'].value.getNormalMatrix(toView);
    uniforms['before'].value = before;
    uniforms['stepMm'].value = uniforms['voxelMm'].value * step;
  }

  /** @param shift of the picture, as a fraction of half its size @param weight of this pass in the sum */
  share(shift: readonly [number, number], weight: number): void {
    const { uniforms } = this.mesh.material;
    uniforms['shift'].value.set(...shift);
    uniforms['weight'].value = weight;
  }

  dispose(): void {
    const { uniforms } = this.mesh.material;
    for (const name of ['voxels', 'leaps', 'curve'] as const) uniforms[name].value.dispose();
    uniforms['before'].value = null;
    this.mesh.material.dispose();
    this.mesh.geometry.dispose();
  }
}

const emptyVolume = () => texture3D(new Uint8Array(2), [1, 1, 1], LinearFilter);

function texture3D(
  bytes: Uint8Array<ArrayBuffer>,
  size: readonly [number, number, number],
  filter: typeof LinearFilter | typeof NearestFilter,
): Data3DTexture {
  const texture = new Data3DTexture(bytes, ...size);
  texture.format = RGFormat;
  texture.type = UnsignedByteType;
  texture.minFilter = texture.magFilter = filter;
  texture.unpackAlignment = 1;
  texture.needsUpdate = true;
  return texture;
}

/** Stores both bytes of a value as they are in memory: filtered separately, they add up to the filtered value. */
const voxelTexture = ({ voxels, grid }: PackedVolume) =>
  texture3D(new Uint8Array(voxels.buffer), grid.dimensions, LinearFilter);

function tableTexture(table: Uint8Array<ArrayBuffer>): DataTexture {
  const texture = new DataTexture(table, table.length / 4, 1, RGBAFormat);
  texture.minFilter = texture.magFilter = LinearFilter;
  texture.needsUpdate = true;
  return texture;
}

const rayMaterial = () =>
  createShader({
    glslVersion: GLSL3,
    vertexShader: wholePictureVertex,
    fragmentShader: volumeFragment,
    depthFunc: AlwaysDepth,
    // Passes are summed.
    transparent: true,
    blending: CustomBlending,
    blendEquation: AddEquation,
    blendSrc: OneFactor,
    blendDst: OneFactor,
    uniforms: {
      voxels: { value: emptyVolume() },
      leaps: { value: emptyVolume() },
      curve: { value: tableTexture(new Uint8Array(8)) },
      before: { value: null },
      byteWeights: { value: new Vector2(255 / 65535, (255 * 256) / 65535) },
      clipToVolume: { value: new Matrix4() },
      volumeToClip: { value: new Matrix4() },
      volumeToWorld: { value: new Matrix3() },
      gradientToView: { value: new Matrix3() },
      dimensions: { value: new Vector3(1, 1, 1) },
      bricks: { value: new Vector3(1, 1, 1) },
      cuts: { value: Array.from({ length: maxCuts }, () => new Vector4()) },
      cutCount: { value: 0 },
      holeSides: { value: Array.from({ length: 6 }, () => new Vector4()) },
      hasHole: { value: false },
      style: { value: 0 },
      stepMm: { value: 1 },
      voxelMm: { value: 1 },
      level: { value: 0.5 },
      contrast: { value: 1 },
      density: { value: 1 },
      greyWindow: { value: new Vector2(0, 1) },
      hasCutColour: { value: false },
      cutColour: { value: new Vector3() },
      shift: { value: new Vector2() },
      weight: { value: 1 },
    },
  });
