import { Matrix4, Vector3 as Point3, Vector2 } from 'three';
import { findBounds } from '#kernels/grid/bounds.ts';
import { type CutFace, listFaces } from '#kernels/grid/cut-away.ts';
import { listCorners, outlineOnBox } from '#kernels/grid/turned-grid.ts';
import { scale } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { SceneState, SurfaceHit } from './layer.ts';
import { SectionLayer } from './section-layer.ts';
import type { VolumeLayer } from './volume-layer.ts';

const declarations = /* glsl */ `
uniform mat4 worldToVolume;
uniform sampler3D voxels;
uniform vec2 byteWeights;
uniform vec2 greyWindow;
uniform float level;`;

const fragment = /* glsl */ `
  float value = dot(texture(voxels, (worldToVolume * vec4(pointWorld, 1.0)).xyz).rg, byteWeights);
  if (value < level) discard;
  float grey = clamp((value - greyWindow.x) / (greyWindow.y - greyWindow.x), 0.0, 1.0);
  colour = vec4(vec3(grey), 1.0);`;

/**
 * Sections that show the material of the scan in grey values, as on a slice. One polygon on each clipping plane: the
 * surface need not be closed.
 */
export class CapLayer extends SectionLayer<'worldToVolume' | 'greyWindow' | 'level'> {
  readonly #volume: VolumeLayer;
  #level = 0;

  /** @param volume the volume whose voxels are shown, whether or not it is visible itself */
  constructor(volume: VolumeLayer) {
    const uniforms = {
      ...volume.voxelUniforms,
      worldToVolume: { value: new Matrix4() },
      greyWindow: { value: new Vector2(0, 1) },
      level: { value: 0.5 },
    };
    super({ declarations, fragment, uniforms });
    this.#volume = volume;
  }

  apply({ cuts, section, volume }: SceneState): void {
    const packed = section?.kind === 'grey' ? this.#volume.packed : null;
    this.setCuts(cuts, packed && findBounds(listCorners(packed.grid)));
    if (section?.kind !== 'grey' || !packed) return;
    this.setCorners(
      listFaces(cuts).map((face) => {
        const { normal, offsetMm } = face;
        const outline = outlineOnBox(packed.grid, scale(normal, offsetMm), { normal, up: [0, 0, 0] });
        const fan = outline.slice(2).flatMap((corner, i) => [outline[0], outline[i + 1], corner]);
        return { face, corners: fan.flatMap((point) => point ?? []) };
      }),
    );
    const { uniforms } = this.object.material;
    const toPlace = (grey: number) => (grey - packed.low) / (packed.high - packed.low);
    this.#level = toPlace(section.level);
    uniforms.level.value = this.#level;
    uniforms.greyWindow.value.set(...volume.greyLimits.map(toPlace));
    uniforms.worldToVolume.value.copy(this.#volume.toWorld).invert();
  }

  /** The voxel at the point, if it is material. */
  protected hitAt(_: CutFace, point: Vector3): SurfaceHit | null {
    const { packed, toWorld } = this.#volume;
    if (!packed) return null;
    const [nx, ny, nz] = packed.grid.dimensions;
    const place = new Point3(...point).applyMatrix4(toWorld.clone().invert());
    const [i, j, k] = [Math.floor(place.x * nx), Math.floor(place.y * ny), Math.floor(place.z * nz)];
    if (i < 0 || j < 0 || k < 0 || i >= nx || j >= ny || k >= nz) return null;
    const value = (packed.voxels[(k * ny + j) * nx + i] ?? 0) / 65535;
    if (value < this.#level) return null;
    const grey = packed.low + value * (packed.high - packed.low);
    return { pointWorld: point, value: null, placeId: null, grey };
  }
}
