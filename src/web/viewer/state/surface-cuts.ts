import { Matrix4 } from 'three';
import { missingValue } from '#kernels/color/weighted-histogram.ts';
import type { SurfaceCut } from '#kernels/grid/cut-surface.ts';
import { planeRows, type SliceName } from '#kernels/grid/plane-transform.ts';
import type { PlacedCut } from '#kernels/grid/space-along-cut.ts';
import type { Grid } from '#kernels/grid/volume.ts';
import { SurfaceCutter } from '../data/surface-cutter.ts';
import type { SurfaceData } from '../data/surface-data.ts';
import type { Signal } from './signal.ts';

/** What slices cut: the surface or its reference. */
export type CutLayer = 'surface' | 'reference';

/** The part of the viewer that determines its slices and surfaces. */
interface Sliced {
  /** the grid whose slices the pane shows */
  grid(name: SliceName): Grid | null;
  readonly surfaceData: Signal<SurfaceData | null>;
  readonly referenceData: Signal<SurfaceData | null>;
  /** with the pose of its surface in the world */
  readonly reference: { matrix: readonly number[] } | null;
  slice(name: SliceName): { positionMm: number } | null;
}

interface Cut {
  surface: SurfaceData;
  rows: readonly number[];
  cut: SurfaceCut;
}

/** Intersections of the panes' slices with the surfaces; the last one of each pane is cached until its slice moves. */
export class SurfaceCuts {
  readonly #model: Sliced;
  #cutters: Partial<Record<CutLayer, SurfaceCutter>> = {};
  #last = new Map<string, Cut>();

  constructor(model: Sliced) {
    this.#model = model;
  }

  /** In grid mm along the pane's axes; null without a slice or a surface. */
  get(layer: CutLayer, name: SliceName): SurfaceCut | null {
    return this.#find(layer, name)?.cut ?? null;
  }

  /** The intersection with the surface, together with its source. */
  getPlaced(name: SliceName): PlacedCut | null {
    const found = this.#find('surface', name);
    if (!found) return null;
    const { cut, rows, surface } = found;
    return { ...cut, rows, positions: surface.positions, normals: surface.normals, missing: missingValue };
  }

  #find(layer: CutLayer, name: SliceName): Cut | null {
    const { reference, surfaceData, referenceData } = this.#model;
    const grid = this.#model.grid(name);
    const surface = (layer === 'surface' ? surfaceData : referenceData).get();
    const slice = this.#model.slice(name);
    if (!grid || !slice || !surface) return null;
    const matrix = layer === 'reference' ? reference?.matrix : undefined;
    const rows = toPlaneRows(grid, name, slice.positionMm, matrix);
    const key = `${layer} ${name}`;
    const last = this.#last.get(key);
    if (last?.surface === surface && last.rows.every((each, i) => each === rows[i])) return last;
    if (this.#cutters[layer]?.surface !== surface) this.#cutters[layer] = new SurfaceCutter(surface);
    const found = { surface, rows, cut: this.#cutters[layer].cut(rows) };
    this.#last.set(key, found);
    return found;
  }

  forget(): void {
    this.#cutters = {};
    this.#last.clear();
  }
}

/**
 * Matrix rows from a surface's frame to the axes of a pane and the distance from its slice.
 *
 * @param matrix transforms a world point to the surface's frame; row-major
 */
function toPlaneRows(grid: Grid, name: SliceName, positionMm: number, matrix?: readonly number[]): number[] {
  const rows = planeRows(grid, name, positionMm);
  if (!matrix) return rows;
  const toWorld = new Matrix4().fromArray(matrix).transpose().invert();
  const toPlane = new Matrix4().fromArray([...rows, 0, 0, 0, 1]).transpose();
  return toPlane.multiply(toWorld).transpose().toArray().slice(0, 12);
}
