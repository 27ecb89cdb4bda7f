import { BufferAttribute, BufferGeometry } from 'three';
import { MeshBVH } from 'three-mesh-bvh';
import { cutSurface, type PlaneRows, type SurfaceCut } from '#kernels/grid/cut-surface.ts';
import type { SurfaceData } from './surface-data.ts';

/**
 * Cuts a loaded surface with planes by its search tree: the time depends on the triangles that the plane meets, not on
 * all of them.
 */
export class SurfaceCutter {
  readonly surface: SurfaceData;
  readonly #bvh: MeshBVH;

  /** @param surface its arrays are shared, not copied */
  constructor(surface: SurfaceData) {
    this.surface = surface;
    this.#bvh = openTree(surface, new BufferGeometry());
  }

  cut(rows: PlaneRows): SurfaceCut {
    const [x = 0, y = 0, z = 0, offset = 0] = rows.slice(8);
    return cutSurface(this.surface, rows, (add) =>
      this.#bvh.shapecast({
        intersectsBounds: ({ min, max }) => {
          const middle = (x * (min.x + max.x) + y * (min.y + max.y) + z * (min.z + max.z)) / 2 + offset;
          const reach =
            (Math.abs(x) * (max.x - min.x) + Math.abs(y) * (max.y - min.y) + Math.abs(z) * (max.z - min.z)) /
            2;
          return Math.abs(middle) <= reach;
        },
        intersectsRange: (first, count) => {
          for (let triangle = first; triangle < first + count; triangle++) add(triangle);
          return false;
        },
      }),
    );
  }
}

/** The search tree loaded with a surface, over its arrays. */
export function openTree(surface: SurfaceData, geometry: BufferGeometry): MeshBVH {
  if (!geometry.hasAttribute('position')) {
    geometry.setAttribute('position', new BufferAttribute(surface.positions, 3));
    geometry.setIndex(new BufferAttribute(surface.indices, 1));
  }
  // The version is missing in the package's types; without it the tree would be read as an older layout.
  const tree = { version: 1, roots: surface.bvhRoots, index: surface.indices, indirectBuffer: null };
  return MeshBVH.deserialize(tree, geometry, { setIndex: false });
}
