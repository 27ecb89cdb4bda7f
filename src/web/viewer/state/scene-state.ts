import { colorMap } from '#kernels/color/maps.ts';
import { listCuts } from '#kernels/grid/cut-away.ts';
import { extentMm, gridMmToWorld } from '#kernels/grid/plane-transform.ts';
import type { Vector3 } from '#kernels/grid/volume.ts';
import type { SceneState } from '../engine/layer.ts';
import type { ViewerModel } from './viewer-model.ts';
import { readSection, readVolumeLook } from './volume-look.ts';

/** What the scene is to show, with everything filled in that the view leaves open. */
export function readSceneState(model: ViewerModel, aspect: number): SceneState {
  const state = model.store.get();
  return {
    camera: model.camera(aspect),
    cursorWorld: model.cursorWorld(),
    surface: state.surface,
    scene: state.scene,
    referenceVisible: state.referenceVisible && !model.reference?.onSlicesOnly,
    places: model.places.marks(),
    range: model.range(),
    lut: colorMap(state.surface.map),
    cuts: listCuts(state.clips),
    section: readSection(model),
    volume: readVolumeLook(model),
    boxCorners: model.boxCorners(),
    cursorLines: listCursorLines(model),
  };
}

function listCursorLines(model: ViewerModel): [Vector3, Vector3][] {
  const volume = model.volume;
  if (!volume) return [];
  const cursor = model.cursorGridMm();
  return ([0, 1, 2] as const).map((axis) => {
    const end = (side: 0 | 1): Vector3 => {
      const point: Vector3 = [...cursor];
      point[axis] = extentMm(volume, axis)[side];
      return gridMmToWorld(volume, point);
    };
    return [end(0), end(1)];
  });
}
