/** A part's name in any of Europe's scripts is set in its own letters, and can be found and copied in the report. */
import { inflateSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { ReportPages } from './pdf-layout.ts';
import { printable } from './report-fonts.ts';

/** Everything that the streams of a PDF hold, unpacked. */
function readStreams(pdf: Uint8Array): string {
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

/** The characters that the PDF maps its glyphs to: the text that can be searched and copied. */
function readCharacters(pdf: Uint8Array): string {
  const maps = [...readStreams(pdf).matchAll(/beginbfrange\s([\s\S]*?)endbfrange/g)].map(([, map]) => map);
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

describe('the characters of a report', () => {
  it.each([
    ['Polish', 'Łożysko wału głównego'],
    ['Czech and Hungarian', 'Příruba čerpadla, hűtőfedél'],
    ['Turkish', 'Dişli kutusu gövdesi ığş'],
    ['Greek', 'Γρανάζι άξονα Ω'],
    ['Russian and Ukrainian', 'Корпус редуктора ґҐїЇ'],
    ['Vietnamese', 'Thân máy bằng nhôm'],
  ])('are those of the name: %s', async (_, name) => {
    expect(printable(name)).toBe(name);
    const told = readCharacters(await written(name, { bold: true }));
    expect([...new Set(name.replace(/ /g, ''))].filter((sign) => !told.includes(sign))).toEqual([]);
  });

  it('use the built-in fonts if these have them all', async () => {
    expect(printable('Gehäuse Ø 12 µm – façade')).toBe('Gehäuse Ø 12 µm – façade');
    expect(readStreams(await written('Gehäuse Ø 12 µm'))).not.toContain('beginbfrange');
  });

  it('are written as their code points if no font has them, and never omitted or replaced', () => {
    expect(printable('เกียร์')).toMatch(/^(\[U\+0E[0-9A-F]{2}\]){6}$/);
    expect(printable('한글 ゑ 㐂')).toBe('한글 ゑ [U+3402]');
    expect(printable('Łódź 🔧')).toBe('Łódź [U+1F527]');
    expect(printable('≤ 3 mm → ok')).toBe('<= 3 mm -> ok');
    // Spaces at which no line may break stay such.
    expect(printable('3\u202fmm ±\u20095\u00a0%')).toBe('3\u00a0mm ±\u00a05\u00a0%');
    // Letters and marks that come apart are one letter.
    expect(printable('Lo\u0301d')).toBe('Lód');
  });
});

describe('Chinese, Japanese and Korean characters', () => {
  it.each([
    ['Japanese', '歯車ケース（左）、ﾊ'],
    ['Chinese of the mainland', '变速箱壳体'],
    ['Chinese of Taiwan', '變速箱殼體'],
    ['Korean', '기어박스 하우징'],
  ])('are embedded with the characters they represent: %s', async (_, name) => {
    expect(printable(name)).toBe(name);
    const pdf = await written(name, { bold: true });
    expect(Buffer.from(pdf).toString('latin1')).toMatch(/BaseFont \/[A-Z]{6}\+DroidSansFallback/);
    const told = readCharacters(pdf);
    expect([...new Set(name.replace(/ /g, ''))].filter((sign) => !told.includes(sign))).toEqual([]);
  });

  it('include every character of the standards of each country', () => {
    const standards = [
      ['gbk', [0xb0, 0xf7], [0xa1, 0xfe]],
      ['big5', [0xa4, 0xf9], [0x40, 0xfe]],
      ['euc-jp', [0xb0, 0xf4], [0xa1, 0xfe]],
      ['euc-kr', [0xb0, 0xfd], [0xa1, 0xfe]],
    ] as const;
    for (const [label, lead, trail] of standards) {
      const bytes: number[] = [];
      for (let first = lead[0]; first <= lead[1]; first += 1)
        for (let second = trail[0]; second <= trail[1]; second += 1) bytes.push(first, second, 0x20);
      const text = new TextDecoder(label).decode(Uint8Array.from(bytes)).normalize('NFC');
      const letters = [...text].filter((letter) =>
        /[\p{sc=Han}\p{sc=Hang}\p{sc=Kana}\p{sc=Hira}]/u.test(letter),
      );
      expect(letters.length).toBeGreaterThan(6000);
      expect([label, letters.filter((letter) => printable(letter) !== letter)]).toEqual([label, []]);
    }
  });

  it('share a line with other characters without overlaps or gaps', async () => {
    const name = 'Łożysko 歯車 Ø 12';
    expect(printable(name)).toBe(name);
    const pages = new ReportPages({ title: 't', author: 'a', createdAt: new Date(0) });
    pages.text(name, { size: 10 });
    const drawn = [...readStreams(await pages.end('')).matchAll(/1 0 0 1 (\S+) (\S+) Tm\n\/(\S+) 10 Tf/g)];
    const [latin, japanese, rest] = drawn.map(([, x, y, font]) => ({ x: Number(x), y: Number(y), font }));
    expect([latin.y, japanese.y]).toEqual([rest.y, rest.y]);
    expect([latin.font === rest.font, latin.font === japanese.font]).toEqual([true, false]);
    expect(japanese.x).toBeGreaterThan(latin.x + 30);
    expect(rest.x - japanese.x).toBeCloseTo(20, 3);
  });

  it('are wrapped within a table cell, whose row gets the height they need', async () => {
    const measureHeight = (text: string) => {
      const pages = new ReportPages({ title: 't', author: 'a', createdAt: new Date(0) });
      pages.table([{ title: 'Name', share: 0.1 }], [[{ text }]]);
      return pages.doc.y;
    };
    expect(measureHeight('歯車箱歯車箱歯車箱歯車箱')).toBeGreaterThan(measureHeight('歯車') + 15);
  });

  it('continue on the next page, and a character wider than its column is still drawn', async () => {
    const pages = new ReportPages({ title: 't', author: 'a', createdAt: new Date(0) });
    pages.text('歯車\n'.repeat(100));
    expect(pages.doc.bufferedPageRange().count).toBe(2);
    pages.table([{ title: 'Name', share: 0.01 }], [[{ text: '歯車' }]]);
    expect(readCharacters(await pages.end(''))).toContain('車');
  });
});
