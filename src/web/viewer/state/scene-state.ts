import { colorMap } from '#kernels/color/maps.ts';
import { listCuts } from '#kernels/grid/cut-away.ts';
import { listCursorLines } from '#kernels/overlay/scene-marks.ts';
import type { SceneState } from '../engine/layer.ts';
import type { ViewerModel } from './viewer-model.ts';
import { readSection, readVolumeLook } from './volume-look.ts';

/** The state of the scene, with all defaults of the view filled in. */
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
    cursorLines: model.volume ? listCursorLines(model.volume, model.cursorGridMm()) : [],
  };
}
