/** Titles of the columns in a table of places, for the viewer and the service's renders. */
import type { PlaceList } from './declaration.ts';
import { listUnits } from './quantities.ts';

interface ShownColumn {
  title: string;
  unit: string;
  words?: Readonly<Record<string, string>>;
  /** a coordinate of the place's bounding box, for filtering rather than display */
  isMinor?: boolean;
  /** columns are sorted by rank, ascending; columns without a rank keep their order */
  rank?: number;
}

const unitOfEnding: Record<string, string> = { Mm: 'mm', Mm2: 'mm²', Mm3: 'mm³' };
/** Corners of a place's bounding box, and its projected areas. */
const minor = /^(min|max|projectedArea)[XYZ]Mm2?$/;
const middle = /^center([XYZ])Mm$/;

/** How a column of the table of places is shown: as declared, or derived from its name. */
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
