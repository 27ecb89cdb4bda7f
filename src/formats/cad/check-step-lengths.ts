/** Checks STEP geometry for impossible numbers, which make the reader loop forever or lose faces. */
import { malformed } from '../format-error.ts';
import { mmPerNamedUnit } from '../units.ts';

const largestMm = 1e7;
/** Limit for numbers without a unit, and for factors, which only need to be squarable. */
const largestFactor = 1e30;
/** Far below the rounding error of a zero; its square still differs from 0. */
const smallest = 1e-30;
/** Assumed unit if unknown: a nanometre, so that no valid file is refused. */
const smallestUnitMm = 1e-6;
/**
 * Search range for the few numbers of an entity, so that entities without an end are not searched to the end of the
 * file.
 */
const maxCharacters = 400;

type Kind = 'coordinate' | 'radius' | 'distance' | 'size' | 'direction' | 'length';
/** Meaning of their numbers; the half angle of a cone is well within the range of a radius. */
const kinds = new Map<string, Kind>([
  ['CARTESIAN_POINT', 'coordinate'],
  ['CIRCLE', 'radius'],
  ['ELLIPSE', 'radius'],
  ['CYLINDRICAL_SURFACE', 'radius'],
  ['SPHERICAL_SURFACE', 'radius'],
  ['TOROIDAL_SURFACE', 'radius'],
  ['DEGENERATE_TOROIDAL_SURFACE', 'radius'],
  // At its apex, a cone has a radius that is 0 up to rounding.
  ['CONICAL_SURFACE', 'size'],
  ['HYPERBOLA', 'size'],
  ['PARABOLA', 'size'],
  ['OFFSET_SURFACE', 'distance'],
  ['OFFSET_CURVE_3D', 'distance'],
  ['DIRECTION', 'direction'],
  ['VECTOR', 'length'],
  ['LENGTH_MEASURE_WITH_UNIT', 'length'],
]);

/** Start of the parameters after an entity's type. */
const beginOfItem = /\s*\(\s*/y;
/** A number that is not a reference, an enumeration or part of another number. */
const numberOfItem = /(?<![#\w.+-])[-+]?\d[\w.+-]*/g;

/**
 * Returns a check for one entity at a time, each O(1) apart from the name of the item.
 *
 * @param text of a STEP file
 * @param unit unit of the file; null if unknown
 * @returns function of the number and type of an entity and the end of its type; throws FormatError MALFORMED
 * @see ISO 10303-42 for the contents of the entities
 */
export function lengthChecker(text: string, name: string, unit: string | null) {
  const mmPerUnit = mmPerNamedUnit(unit ?? '') ?? smallestUnitMm;
  const largest = largestMm / mmPerUnit;
  return (id: string, type: string, end: number): void => {
    const kind = kinds.get(type);
    if (kind === undefined) return;
    beginOfItem.lastIndex = end;
    if (!beginOfItem.test(text)) return;
    const from = findEndOfName(text, beginOfItem.lastIndex);
    const [numbersText = ''] = text.slice(from, from + maxCharacters).split(';', 1);
    const numbers = numbersText.match(numberOfItem) ?? [];
    const isFactor = kind === 'direction' || kind === 'length';
    const large = numbers.find(
      (digits) => !(Math.abs(Number(digits)) <= (isFactor ? largestFactor : largest)),
    );
    if (large !== undefined)
      throw malformed(`${name}: ${describe(kind, id, large)} that is too large. ${advice}`);
    if (kind !== 'radius' && !isFactor) return;
    // Single components of a direction may be rounding errors of 0.
    const most = Math.max(...numbers.map((digits) => Math.abs(Number(digits))));
    if (most > 0 && most < smallest)
      throw malformed(`${name}: ${describe(kind, id, numbers.join(', '))} that is too small. ${advice}`);
  };
}

const advice = 'Export it again.';
const describe = (kind: Kind, id: string, digits: string): string => `#${id} has a ${kind} of ${digits}`;

/** End of the string that begins at `from`, in which quotes are doubled; `from` itself if none begins there. */
function findEndOfName(text: string, from: number): number {
  let at = from;
  while (text[at] === "'") {
    const end = text.indexOf("'", at + 1);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}
