/** Text of server-side pictures, in the typeface of the dashboard. */
import { createRequire } from 'node:module';
import { type Font, openSync } from 'fontkit';
import type { Letters } from '#kernels/picture/picture-canvas.ts';

const { resolve } = createRequire(import.meta.url);
const files = {
  400: resolve('@expo-google-fonts/inter/400Regular/Inter_400Regular.ttf'),
  500: resolve('@expo-google-fonts/inter/500Medium/Inter_500Medium.ttf'),
  600: resolve('@expo-google-fonts/inter/600SemiBold/Inter_600SemiBold.ttf'),
} as const;
type Weight = keyof typeof files;

const opened = new Map<Weight, Font>();

/** Each font is read once, when a picture first needs it. */
function openFont(weight: number): Font {
  const nearest: Weight = weight >= 550 ? 600 : weight >= 475 ? 500 : 400;
  const font = opened.get(nearest) ?? (openSync(files[nearest]) as Font);
  opened.set(nearest, font);
  return font;
}

/** Line segments per curve, enough for text in pictures. */
const pieces = 5;

export const letters: Letters = {
  // Metrics of the typeface as used by browsers for line positions.
  ascent: 0.96875,
  descent: 0.2412,
  outline(text, { weight, sizePx }) {
    const font = openFont(weight);
    const { glyphs, positions } = font.layout(text);
    const scale = sizePx / font.unitsPerEm;
    const outlines: number[][] = [];
    let at = 0;
    for (const [i, glyph] of glyphs.entries()) {
      const { xAdvance = 0, xOffset = 0, yOffset = 0 } = positions[i] ?? {};
      const place = (x: number, y: number): [number, number] => [
        (at + xOffset + x) * scale,
        -(yOffset + y) * scale,
      ];
      for (const { command, args } of glyph.path.commands) {
        const outline = outlines.at(-1);
        const [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0] = args;
        if (command === 'moveTo') outlines.push(place(a, b));
        else if (!outline) continue;
        else if (command === 'lineTo') outline.push(...place(a, b));
        else if (command === 'quadraticCurveTo') addCurve(outline, [place(a, b), place(c, d)]);
        else if (command === 'bezierCurveTo') addCurve(outline, [place(a, b), place(c, d), place(e, f)]);
      }
      at += xAdvance;
    }
    return { outlines, width: at * scale };
  },
};

/** Continues from the end of the outline; de Casteljau's algorithm for any degree. */
function addCurve(outline: number[], towards: readonly [number, number][]): void {
  const start: [number, number] = [outline.at(-2) ?? 0, outline.at(-1) ?? 0];
  for (let i = 1; i <= pieces; i++) {
    let points = [start, ...towards];
    while (points.length > 1)
      points = points.slice(1).map(([x, y], k): [number, number] => {
        const [fromX, fromY] = points[k] ?? [x, y];
        return [fromX + ((x - fromX) * i) / pieces, fromY + ((y - fromY) * i) / pieces];
      });
    outline.push(...(points[0] ?? start));
  }
}
