import { BufferAttribute, BufferGeometry, Group, LineSegments, type ShaderMaterial } from 'three';
import { findBounds } from '#kernels/grid/bounds.ts';
import type { Bounds, Point } from '#kernels/grid/camera.ts';
import { boxEdges, boxInk, cursorInks, cursorOpacity } from '#kernels/overlay/scene-marks.ts';
import { type Layer, overPass, type SceneState } from './layer.ts';
import { lineMaterial } from './surface-material.ts';

/** The scanned box and the lines through the cursor. */
export class MarksLayer implements Layer {
  readonly kind = 'marks';
  readonly object = new Group();
  readonly visible = true;
  readonly opacity = 1;
  readonly #box = lines(boxInk.rgb, boxInk.opacity, true);
  readonly #cursor: LineSegments<BufferGeometry, ShaderMaterial>[] = [];
  #points: Point[] = [];

  constructor() {
    this.object.add(this.#box);
    for (const colour of cursorInks) {
      // Drawn twice: with depth test, and faintly through the surface.
      for (const [opacity, depthTest] of [
        [cursorOpacity.seen, true],
        [cursorOpacity.everywhere, false],
      ] as const) {
        const line = lines(colour, opacity, depthTest);
        // An explicit order; otherwise it would depend on where the lines were at their first frame.
        line.renderOrder = 2 + this.#cursor.length;
        this.#cursor.push(line);
        this.object.add(line);
      }
    }
  }

  bounds(): Bounds | null {
    return findBounds(this.#points);
  }

  apply({ boxCorners, cursorLines, cursorWorld }: SceneState): void {
    this.#points = [...(boxCorners ?? []), cursorWorld];
    setLines(this.#box, boxCorners ? boxEdges.flatMap((corner) => boxCorners.slice(corner, corner + 1)) : []);
    // Two lines per axis: the visible part, and the hidden one.
    for (const [i, line] of this.#cursor.entries()) setLines(line, cursorLines[i >> 1] ?? []);
  }

  dispose(): void {
    for (const line of [this.#box, ...this.#cursor]) {
      line.geometry.dispose();
      line.material.dispose();
    }
  }
}

function lines(colour: Readonly<Point>, opacity: number, depthTest: boolean) {
  const line = new LineSegments(new BufferGeometry(), lineMaterial(colour, opacity, depthTest));
  line.frustumCulled = false;
  line.layers.set(overPass);
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
