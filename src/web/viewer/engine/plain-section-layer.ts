import { Vector2 } from 'three';
import { sectionColour } from '#kernels/color/scene-ground.ts';
import { type CutFace, listFaces } from '#kernels/grid/cut-away.ts';
import { makePlaneFrame } from '#kernels/grid/turned-grid.ts';
import { add, dot, scale } from '#kernels/grid/vectors.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import { SurfaceCutter } from '../data/surface-cutter.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import { fillSection, isWithin, listLoops } from './fill-section.ts';
import type { SceneState, SurfaceHit } from './layer.ts';
import { SectionLayer } from './section-layer.ts';

interface Filled {
  key: string;
  loops: ReturnType<typeof listLoops>;
  corners: Float32Array;
}

/** The section of a clipped surface, filled with one colour inside its contour. */
export class PlainSectionLayer extends SectionLayer<never> {
  #cutter: SurfaceCutter | null = null;
  #filled = new Map<string, Filled>();
  #drawn = '';

  constructor() {
    super({ declarations: '', fragment: `colour = vec4(${sectionColour.join()}, 1.0);`, uniforms: {} });
  }

  /** Sets the surface to cut; null removes it. The layer keeps a reference to the arrays. */
  setSurface(surface: SurfaceData | null): void {
    this.#cutter = surface && new SurfaceCutter(surface);
    this.#filled.clear();
    this.#drawn = '';
  }

  apply({ cuts, section, surface }: SceneState): void {
    const cutter = section?.kind === 'plain' && surface.visible ? this.#cutter : null;
    this.setCuts(cuts, cutter?.surface.bounds ?? null);
    if (!cutter) return;
    const filled = listFaces(cuts).map((face) => ({ face, ...this.#fill(cutter, face) }));
    this.#filled = new Map(filled.map((each) => [each.key, each]));
    const drawn = filled.map(({ key, face }) => `${key} ${face.own}`).join();
    if (drawn === this.#drawn) return;
    this.#drawn = drawn;
    this.setCorners(filled);
  }

  /** The position of the hit, without a value: sections have no measured value. */
  protected hitAt(face: CutFace, point: Vector3): SurfaceHit | null {
    const { right, up } = makePlaneFrame({ normal: face.normal, up: [0, 0, 0] });
    const place = new Vector2(dot(right, point), dot(up, point));
    const isHit = isWithin(this.#filled.get(nameFace(face))?.loops ?? [], place);
    return isHit ? { pointWorld: point, value: null, placeId: null, grey: null } : null;
  }

  #fill(cutter: SurfaceCutter, face: CutFace): Filled {
    const key = nameFace(face);
    const known = this.#filled.get(key);
    if (known) return known;
    const { right, up } = makePlaneFrame({ normal: face.normal, up: [0, 0, 0] });
    const rows = [...right, 0, ...up, 0, ...face.normal, -face.offsetMm];
    const loops = listLoops(cutter.cut(rows));
    const places = fillSection(loops);
    const corners = new Float32Array((places.length / 2) * 3);
    const off = scale(face.normal, face.offsetMm);
    for (let i = 0; 2 * i < places.length; i++) {
      const [u = 0, v = 0] = [places[2 * i], places[2 * i + 1]];
      corners.set(add(off, add(scale(right, u), scale(up, v))), 3 * i);
    }
    return { key, loops, corners };
  }
}

const nameFace = ({ normal, offsetMm }: CutFace): string => [...normal, offsetMm].join();
