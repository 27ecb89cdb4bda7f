import { frame, projectPoint } from '#kernels/grid/camera.ts';
import { add, dot, scale } from '#kernels/grid/vectors.ts';
import { attachGrips } from '../state/grips.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import { type Handle, listGizmos } from './gizmos.ts';

/** Maximum distance of the pointer from a handle, in pixels. */
const handlePx = 11;

/** Lets the user drag the visible handles. */
export function attachHandles(
  canvas: HTMLCanvasElement,
  model: ViewerModel,
  { onMoving, onClick }: { onMoving: () => void; onClick: (event: PointerEvent) => void },
  signal: AbortSignal,
): void {
  const camera = () => model.camera((canvas.clientWidth || 1) / (canvas.clientHeight || 1));
  const listHandles = () => listGizmos(model).flatMap(({ handles }) => handles);
  const find = ([x, y]: readonly [number, number], reach: number): string | null => {
    if (model.measuring.kind) return null;
    const seenFrom = camera();
    const measure = ({ point, name }: Handle) => {
      const place = projectPoint(seenFrom, point, canvas.clientWidth, canvas.clientHeight);
      return { name, away: place === null ? Infinity : Math.hypot(x - place[0], y - place[1]) };
    };
    const [nearest] = listHandles()
      .map(measure)
      .sort((one, other) => one.away - other.away);
    return nearest && nearest.away <= reach * handlePx ? nearest.name : null;
  };
  const drag = (handle: Handle, dx: number, dy: number) => {
    onMoving();
    const { right, up } = frame(camera());
    const mm = camera().heightMm / Math.max(1, canvas.clientHeight);
    const { along } = handle;
    if (!along) {
      handle.pull(add(scale(right, dx * mm), scale(up, -dy * mm)));
      return;
    }
    const [across, rises] = [dot(along, right), dot(along, up)];
    const seen = across * across + rises * rises;
    // A handle can't be moved along the line of sight.
    if (seen > 0.02) handle.pull(scale(along, ((dx * across - dy * rises) * mm) / seen));
  };
  const grips = {
    find,
    drag: (name: string, to: readonly [number, number], from: readonly [number, number]) => {
      const handle = listHandles().find((each) => each.name === name);
      if (handle) drag(handle, to[0] - from[0], to[1] - from[1]);
      return name;
    },
    cursor: () => 'grab',
    onHold: (isHeld: boolean) => (isHeld ? model.clipHistory.hold() : model.clipHistory.release()),
    onClick,
  };
  attachGrips(canvas, grips, signal);
}
