/** A part's name in any of Europe's scripts is set in its own letters, and can be found and copied in the report. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ReportPages } from './pdf-layout.ts';
import { printable } from './report-fonts.ts';
import { trueTypeOf } from './woff2.ts';

/** Everything that the streams of a PDF hold, unpacked. */
function streamsOf(pdf: Uint8Array): string {
  const bytes = Buffer.from(pdf);
  let all = '';
  for (let at = bytes.indexOf('stream\n'); at >= 0; at = bytes.indexOf('stream\n', at + 1)) {
    try {
      all += inflateSync(bytes.subarray(at + 7)).toString('latin1');
    } catch {
      // A picture or a font that is packed otherwise.
    }
  }
  return all;
}

/** The characters that the PDF says its glyphs stand for, which is what is found and copied. */
function toldCharacters(pdf: Uint8Array): string {
  const maps = [...streamsOf(pdf).matchAll(/beginbfrange\s([\s\S]*?)endbfrange/g)].map(([, map]) => map);
  const codes = maps.flatMap((map) => [...map.matchAll(/<([0-9a-f]{4})>/gi)].map(([, code]) => code));
  return codes.map((code) => String.fromCharCode(Number.parseInt(code, 16))).join('');
}

const written = (text: string, options: { bold?: boolean } = {}) => {
  const pages = new ReportPages({ title: 't', author: 'a', createdAt: new Date(0) });
  pages.text(text, options);
  pages.facts([['Part', text]]);
  pages.table(
    [
      { title: 'Name', share: 0.5 },
      { title: 'File', share: 0.5, mono: true },
    ],
    [[{ text, bold: true }, { text }]],
  );
  return pages.end(text);
};

describe('the letters of a report', () => {
  it.each([
    ['Polish', 'Łożysko wału głównego'],
    ['Czech and Hungarian', 'Příruba čerpadla, hűtőfedél'],
    ['Turkish', 'Dişli kutusu gövdesi ığş'],
    ['Greek', 'Γρανάζι άξονα Ω'],
    ['Russian and Ukrainian', 'Корпус редуктора ґҐїЇ'],
    ['Vietnamese', 'Thân máy bằng nhôm'],
  ])('are those of the name: %s', async (_, name) => {
    expect(printable(name)).toBe(name);
    const told = toldCharacters(await written(name, { bold: true }));
    expect([...new Set(name.replace(/ /g, ''))].filter((sign) => !told.includes(sign))).toEqual([]);
  });

  it('stay with the built-in fonts where these have them all', async () => {
    expect(printable('Gehäuse Ø 12 µm – façade')).toBe('Gehäuse Ø 12 µm – façade');
    expect(streamsOf(await written('Gehäuse Ø 12 µm'))).not.toContain('beginbfrange');
  });

  it('are told by their numbers where no font has them, and never left out or changed', () => {
    expect(printable('เกียร์')).toMatch(/^(\[U\+0E[0-9A-F]{2}\]){6}$/);
    // Letters of two languages that no collection has together.
    expect(printable('한글 ゑ')).toBe('한글 ゑ');
    expect(printable('한글 㐂')).toBe('한글 [U+3402]');
    expect(printable('Łódź 🔧')).toBe('Łódź [U+1F527]');
    expect(printable('≤ 3 mm → ok')).toBe('<= 3 mm -> ok');
    // Letters and marks that come apart are one letter.
    expect(printable('Lo\u0301d')).toBe('Lód');
  });
});

describe('Chinese, Japanese and Korean letters', () => {
  it.each([
    ['Japanese', '歯車ケース（左）', 'Japan1', 'UniJIS-UTF16-H'],
    ['Japanese without kana', '歯車', 'Japan1', 'UniJIS-UTF16-H'],
    ['Chinese of the mainland', '变速箱壳体', 'GB1', 'UniGB-UTF16-H'],
    ['Chinese of Taiwan', '變速箱殼體', 'CNS1', 'UniCNS-UTF16-H'],
    ['Korean', '기어박스 하우징', 'Korea1', 'UniKS-UTF16-H'],
  ])('of a collection that readers know: %s', async (_, name, ordering, encoding) => {
    expect(printable(name)).toBe(name);
    const pdf = await written(name, { bold: true });
    const file = Buffer.from(pdf).toString('latin1');
    expect(file).toMatch(/^%PDF-1\.5/);
    expect(file).toContain(`/Ordering (${ordering})`);
    expect(file).toContain(`/Encoding /${encoding}`);
    const told = toldCharacters(pdf);
    expect([...new Set(name.replace(/ /g, ''))].filter((sign) => !told.includes(sign))).toEqual([]);
  });

  it('stand beside others on one line, each where the one before ends', async () => {
    const name = 'Łożysko 歯車 Ø 12';
    expect(printable(name)).toBe(name);
    const pages = new ReportPages({ title: 't', author: 'a', createdAt: new Date(0) });
    pages.text(name, { size: 10 });
    const drawn = [...streamsOf(await pages.end('')).matchAll(/1 0 0 1 (\S+) (\S+) Tm\n\/(\S+) 10 Tf/g)];
    const [latin, japanese, rest] = drawn.map(([, x, y, font]) => ({ x: Number(x), y: Number(y), font }));
    expect([latin.y, japanese.y]).toEqual([rest.y, rest.y]);
    expect([latin.font === rest.font, latin.font === japanese.font]).toEqual([true, false]);
    expect(japanese.x).toBeGreaterThan(latin.x + 30);
    expect(rest.x - japanese.x).toBeCloseTo(20, 3);
  });

  it('are wrapped within the cell of a table, whose row is as high as they need', async () => {
    const heightOf = (text: string) => {
      const pages = new ReportPages({ title: 't', author: 'a', createdAt: new Date(0) });
      pages.table([{ title: 'Name', share: 0.1 }], [[{ text }]]);
      return pages.doc.y;
    };
    expect(heightOf('歯車箱歯車箱歯車箱歯車箱')).toBeGreaterThan(heightOf('歯車') + 15);
  });
});

describe('a font put together of the parts of a web font', () => {
  const file = (part: string) =>
    readFileSync(
      createRequire(import.meta.url).resolve(
        `@fontsource-variable/inter/files/inter-${part}-wght-normal.woff2`,
      ),
    );
  const tableOf = (font: Buffer, wanted: string) => {
    for (let i = 0; i < font.readUInt16BE(4); i += 1) {
      const at = 12 + 16 * i;
      if (font.toString('latin1', at, at + 4) === wanted)
        return font.subarray(font.readUInt32BE(at + 8)).subarray(0, font.readUInt32BE(at + 12));
    }
    throw new Error(`no table ${wanted}`);
  };

  it('has outlines whose boxes hold all of their points, and parts that are glyphs of it', () => {
    const { bytes } = trueTypeOf([file('latin'), file('latin-ext'), file('greek')]);
    const [loca, glyf] = [tableOf(bytes, 'loca'), tableOf(bytes, 'glyf')];
    const count = tableOf(bytes, 'maxp').readUInt16BE(4);
    expect([loca.length, tableOf(bytes, 'hmtx').length]).toEqual([4 * (count + 1), 4 * count]);
    let composites = 0;
    const wrong: number[] = [];
    for (let glyph = 0; glyph < count; glyph += 1) {
      const own = glyf.subarray(loca.readUInt32BE(4 * glyph), loca.readUInt32BE(4 * glyph + 4));
      if (own.length === 0) continue;
      const contours = own.readInt16BE(0);
      if (contours < 0) {
        composites += 1;
        if (own.readUInt16BE(12) >= count) wrong.push(glyph);
        continue;
      }
      const points = own.readUInt16BE(10 + 2 * (contours - 1)) + 1;
      const flags = 12 + 2 * contours;
      const sums = [0, 1].map((axis) => {
        let [at, low, high] = [0, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
        for (let i = 0; i < points; i += 1) {
          at += own.readInt16BE(flags + points + 2 * (axis * points + i));
          [low, high] = [Math.min(low, at), Math.max(high, at)];
        }
        return [low, high];
      });
      const box = [2, 4, 6, 8].map((place) => own.readInt16BE(place));
      if (`${[sums[0][0], sums[1][0], sums[0][1], sums[1][1]]}` !== `${box}`) wrong.push(glyph);
    }
    expect(wrong).toEqual([]);
    expect(composites).toBeGreaterThan(50);
  });

  it('is refused for what is no such font', () => {
    expect(() => trueTypeOf([Buffer.from('not a font at all')])).toThrow('this is no font in WOFF2');
    expect(() => trueTypeOf([file('greek').subarray(0, 500)])).toThrow();
  });
});
