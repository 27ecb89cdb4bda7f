/** Writes the table of formats into README.md: `node src/formats/format-table.ts`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { formats, radiographFiles } from './registry.ts';

const [begin, end] = ['<!-- formats: made by npm run generate -->', '<!-- /formats -->'];
const contents = { volume: 'volume', mesh: 'mesh', cad: 'CAD model' };

function describeFormats(): string {
  const mark = (is: boolean) => (is ? 'yes' : '');
  const rows = Object.values(formats).map((format) => [
    format.name,
    contents[format.content],
    format.files,
    mark(format.open !== undefined),
    // OME-Zarr, a folder, has no writer here: volumes are stored in this format.
    mark('writer' in format || format.name === formats.omeZarr.name),
  ]);
  rows.push(['Radiographs', 'projections', radiographFiles, 'yes', '']);
  const lines = [['Format', 'Content', 'Files', 'Read', 'Written'], Array(5).fill('---'), ...rows];
  return lines.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

/** README.md with the current table between its markers. */
export function withFormatTable(readme: string): string {
  const [from, to] = [readme.indexOf(begin), readme.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`README.md lacks the marks "${begin}" and "${end}"`);
  return `${readme.slice(0, from + begin.length)}\n\n${describeFormats()}\n\n${readme.slice(to)}`;
}

if (import.meta.main) {
  const file = new URL('../../README.md', import.meta.url);
  writeFileSync(file, withFormatTable(readFileSync(file, 'utf8')));
}
