import { expect, it } from 'vitest';
import { writeCsv } from './write-csv.ts';

it('quotes text that would break a row, and leaves missing values empty', () => {
  expect(
    writeCsv([
      ['a', 'b'],
      [1.5, null],
      ['x, "y"', 'two\nlines'],
      [true, undefined],
    ]),
  ).toBe('a,b\r\n1.5,\r\n"x, ""y""","two\nlines"\r\ntrue,\r\n');
});

it('keeps text as text where a spreadsheet would read a formula, and numbers as numbers', () => {
  expect(writeCsv([['=A1', '+1', '-2', '@x', -2]])).toBe("'=A1,'+1,'-2,'@x,-2\r\n");
});

it.each([
  ['=1+1', "'=1+1"],
  [' =1+1', "' =1+1"],
  ['＝1+1', "'＝1+1"],
  ['\t=1', '"\'\t=1"'],
  ['\r=1', '"\'\r=1"'],
  ['\n=1', '"\'\n=1"'],
  ['=HYPERLINK("http://evil.example";"x")', '"\'=HYPERLINK(""http://evil.example"";""x"")"'],
])('keeps %j from being a formula', (text, cell) => {
  expect(writeCsv([[text]])).toBe(`${cell}\r\n`);
});

it.each([
  ['a;=1+1', '"a;=1+1"'],
  ['a,=1+1', '"a,=1+1"'],
  ['a\n=1+1', '"a\n=1+1"'],
  ['a","=1+1', '"a"",""=1+1"'],
])('keeps %j in one cell', (text, cell) => {
  expect(writeCsv([[text]])).toBe(`${cell}\r\n`);
});
