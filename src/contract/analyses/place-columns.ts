/** How the columns of a table of places are called: by the viewer and in pictures of the service. */
import type { PlaceList } from './declaration.ts';
import { listUnits } from './quantities.ts';

interface ShownColumn {
  title: string;
  unit: string;
  words?: Readonly<Record<string, string>>;
  /** of the place's box: to be found by, not to be read */
  isMinor?: boolean;
  /** columns are listed from the smallest to the largest, else as they come */
  rank?: number;
}

const unitOfEnding: Record<string, string> = { Mm: 'mm', Mm2: 'mm²', Mm3: 'mm³' };
/** The corners of a place's box, and its shadows. */
const minor = /^(min|max|projectedArea)[XYZ]Mm2?$/;
const middle = /^center([XYZ])Mm$/;

/** How a column of the table of places is shown: as it was declared, else by its name. */
export function describeColumn({ columns }: Pick<PlaceList, 'columns'>, name: string): ShownColumn {
  const rank = columns.findIndex(({ path }) => path === name);
  const declared = columns[rank];
  if (declared) {
    const { title, quantity, words } = declared;
    return { title, unit: quantity ? listUnits(quantity)[0] : '', rank, ...(words ? { words } : {}) };
  }
  if (name === 'id') return { title: 'No.', unit: '', rank: -1 };
  const [, axis] = middle.exec(name) ?? [];
  if (axis) return { title: axis, unit: 'mm', rank: columns.length };
  const [, stem, ending = ''] = /^(.*?)(Mm[23]?)?$/.exec(name) ?? [];
  const words = (stem ?? name).replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  const title = words.charAt(0).toUpperCase() + words.slice(1);
  return { title, unit: unitOfEnding[ending] ?? '', isMinor: minor.test(name) };
}
