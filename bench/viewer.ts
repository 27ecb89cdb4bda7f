/**
 * Cost of a frame of the viewer's scene compared with the same surface drawn by plain three.js, alternately on one
 * page; its graphics memory, and whether thirty scenes in a row leave anything behind. Software rendering: ratios mean
 * more than milliseconds. `npm run bench -- viewer`
 */
import { chromium, type Page } from '@playwright/test';
import { browserArguments, findBrowser } from '../e2e/support/browser.ts';
import type { SceneTools } from '../e2e/support/scene/entry.ts';
import { openScenePage } from '../e2e/support/scene/scene-page.ts';

declare const sceneTools: SceneTools;

const size = { width: 960, height: 720 };
/** rings of the ball; it has four times their square of triangles */
const RINGS = 350;
const TURNS = 5;
const MOUNTS = 30;
/** growth of JavaScript memory from the fifth scene to the last */
const GROWTH_MIB = 4;

interface FrameKind {
  name: string;
  edges: boolean;
  occlusion: boolean;
  opacity: number;
  volume: boolean;
  /** with antialiasing, as when nothing moves; compared with three.js with antialiasing */
  isAtRest: boolean;
  limit: number | null;
}
const plain = { edges: false, occlusion: false, opacity: 1, volume: false, isAtRest: false, limit: null };
const frames: FrameKind[] = [
  { ...plain, name: 'plain, moving', limit: 1.2 },
  { ...plain, name: 'edges, moving', edges: true, limit: 2.5 },
  { ...plain, name: 'volume, moving', volume: true, limit: 2 },
  { ...plain, name: 'half-transparent, moving', opacity: 0.4 },
  { ...plain, name: 'plain, at rest', isAtRest: true, limit: 1.2 },
  { ...plain, name: 'edges, at rest', isAtRest: true, edges: true },
  {
    ...plain,
    name: 'edges and occlusion, at rest',
    isAtRest: true,
    edges: true,
    occlusion: true,
    limit: 2.5,
  },
];

export interface FrameFigures {
  frame: string;
  ratio: number;
  limit: number | null;
  draws: number;
  triangles: number;
}

export interface ViewerFigures {
  frames: FrameFigures[];
  /** between the fifth and the last of many scenes */
  growthMiB: number;
  leftContexts: number;
}

export async function benchViewer(): Promise<ViewerFigures> {
  const browser = await chromium.launch({ executablePath: await findBrowser(), args: browserArguments });
  try {
    const page = await browser.newPage();
    await openScenePage(page);
    const figures = await timeFrames(page);
    return { frames: figures, ...(await mountOften(page)) };
  } finally {
    await browser.close();
  }
}

const timeFrames = (page: Page): Promise<FrameFigures[]> =>
  page.evaluate(
    ({ kinds, rings, turns, width, height }) => {
      const { Engine, makeBalls, makeVolume, plainState, three } = sceneTools;
      const surface = makeBalls([{ centre: [0, 0, 0], radius: 4 }], rings);
      const finish = (context: WebGL2RenderingContext) =>
        context.readPixels(0, 0, 1, 1, context.RGBA, context.UNSIGNED_BYTE, new Uint8Array(4));
      const time = (draw: () => void) => {
        const start = performance.now();
        draw();
        return performance.now() - start;
      };
      const makeBare = (antialias: boolean) => {
        const renderer = new three.WebGLRenderer({ antialias });
        renderer.setSize(width, height, false);
        const geometry = new three.BufferGeometry();
        geometry.setAttribute('position', new three.BufferAttribute(surface.positions, 3));
        geometry.setAttribute('normal', new three.BufferAttribute(surface.normals, 3));
        geometry.setIndex(new three.BufferAttribute(surface.indices, 1));
        const mesh = new three.Mesh(geometry, new three.MeshLambertMaterial({ side: three.DoubleSide }));
        const scene = new three.Scene().add(mesh, new three.DirectionalLight());
        const camera = new three.OrthographicCamera(
          -5 * (width / height),
          5 * (width / height),
          5,
          -5,
          0,
          60,
        );
        camera.up.set(0, 0, 1);
        camera.position.set(0, -30, 0);
        camera.lookAt(0, 0, 0);
        return () => {
          renderer.render(scene, camera);
          finish(renderer.getContext() as WebGL2RenderingContext);
        };
      };
      const bare = { moving: makeBare(false), atRest: makeBare(true) };
      const canvas = document.createElement('canvas');
      const engine = new Engine(canvas);
      engine.setSurface(surface);
      engine.setVolume(makeVolume(128));
      const context = canvas.getContext('webgl2') as WebGL2RenderingContext;
      const state = plainState(new Uint8Array(3 * 258));
      return kinds.map(({ name, limit, edges, occlusion, opacity, volume, isAtRest }) => {
        engine.apply({
          ...state,
          surface: { ...state.surface, opacity, visible: !volume },
          scene: { edges, occlusion },
          volume: {
            ...state.volume,
            visible: volume,
            curve: [
              { value: 23_000, opacity: 0, color: '#c3c8ce' },
              { value: 24_000, opacity: 1, color: '#c3c8ce' },
            ],
            contrast: 32_000,
          },
        });
        const ours = () => {
          engine.draw(width, height, 1, isAtRest);
          finish(context);
        };
        const theirs = isAtRest ? bare.atRest : bare.moving;
        ours();
        theirs();
        const best = { ours: Number.POSITIVE_INFINITY, theirs: Number.POSITIVE_INFINITY };
        for (let turn = 0; turn < turns; turn++) {
          best.ours = Math.min(best.ours, time(ours));
          best.theirs = Math.min(best.theirs, time(theirs));
        }
        const { draws, triangles } = engine.usage;
        return { frame: name, ratio: best.ours / best.theirs, limit, draws, triangles };
      });
    },
    { kinds: frames, rings: RINGS, turns: TURNS, ...size },
  );

/** Mounts and unmounts scenes; the first context of the page must survive, and memory must not grow. */
async function mountOften(page: Page): Promise<{ growthMiB: number; leftContexts: number }> {
  const session = await page.context().newCDPSession(page);
  await page.evaluate(() => {
    Object.assign(globalThis, { oldest: document.createElement('canvas').getContext('webgl2') });
  });
  const mount = (times: number) =>
    page.evaluate((count) => {
      const { Engine, makeBalls, plainState } = sceneTools;
      const surface = makeBalls([{ centre: [0, 0, 0], radius: 4 }], 40);
      const state = plainState(new Uint8Array(3 * 258));
      for (let i = 0; i < count; i++) {
        const engine = new Engine(document.createElement('canvas'));
        engine.setSurface(surface);
        engine.apply({ ...state, scene: { edges: true, occlusion: true } });
        engine.draw(320, 240, 1, true);
        engine.apply({ ...state, surface: { ...state.surface, opacity: 0.4 } });
        engine.draw(320, 240, 1, true);
        engine.dispose();
      }
    }, times);
  const measure = async () => {
    await session.send('HeapProfiler.collectGarbage');
    const { usedSize } = await session.send('Runtime.getHeapUsage');
    return usedSize / 2 ** 20;
  };
  await mount(5);
  const before = await measure();
  await mount(MOUNTS - 5);
  const growthMiB = (await measure()) - before;
  const isLost = await page.evaluate(() =>
    (globalThis as unknown as { oldest: WebGL2RenderingContext }).oldest.isContextLost(),
  );
  return { growthMiB, leftContexts: isLost ? MOUNTS : 0 };
}

/** Prints the tables with their limits; returns whether all are within them. */
export function reportViewer({ frames: figures, growthMiB, leftContexts }: ViewerFigures): boolean {
  console.log(
    `a surface of ${(4 * RINGS ** 2).toLocaleString('en')} triangles, a volume of 128³, ${size.width} × ${size.height}: frames ÷ three.js alone`,
  );
  console.table(figures.map(({ ratio, ...row }) => ({ ...row, ratio: +ratio.toFixed(2) })));
  console.log(
    `${MOUNTS} scenes: ${growthMiB.toFixed(1)} MiB more from the fifth on, ${leftContexts} contexts left`,
  );
  const isWithin = figures.every(({ ratio, limit }) => limit === null || ratio <= limit);
  return isWithin && growthMiB < GROWTH_MIB && leftContexts === 0;
}

if (import.meta.main && !reportViewer(await benchViewer())) process.exitCode = 1;
