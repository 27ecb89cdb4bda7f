/** Numbers in STEP geometry that no part has: on some of them its reader works for ever, with others it loses faces. */
import { malformed } from '../format-error.ts';
import { mmPerNamedUnit } from '../units.ts';

const largestMm = 1e7;
/** Of what has no unit, or whose factor only has to be a number that can be squared. */
const largestFactor = 1e30;
/** Far below what rounding leaves of a zero; its square can still be told from 0. */
const smallest = 1e-30;
/** For a unit that isn't known: a nanometre, so that nothing sound is refused. */
const smallestUnitMm = 1e-6;
/** In which the few numbers of an entity stand; one whose end is far away must not be searched for by each. */
const mostCharacters = 400;

type Kind = 'coordinate' | 'radius' | 'distance' | 'size' | 'direction' | 'length';
/** What their numbers are; the half angle of a cone is far within what a radius can be. */
const kinds = new Map<string, Kind>([
  ['CARTESIAN_POINT', 'coordinate'],
  ['CIRCLE', 'radius'],
  ['ELLIPSE', 'radius'],
  ['CYLINDRICAL_SURFACE', 'radius'],
  ['SPHERICAL_SURFACE', 'radius'],
  ['TOROIDAL_SURFACE', 'radius'],
  ['DEGENERATE_TOROIDAL_SURFACE', 'radius'],
  // At its apex a cone has what rounding leaves of 0.
  ['CONICAL_SURFACE', 'size'],
  ['HYPERBOLA', 'size'],
  ['PARABOLA', 'size'],
  ['OFFSET_SURFACE', 'distance'],
  ['OFFSET_CURVE_3D', 'distance'],
  ['DIRECTION', 'direction'],
  ['VECTOR', 'length'],
  ['LENGTH_MEASURE_WITH_UNIT', 'length'],
]);

/** From the end of an entity's type. */
const beginOfItem = /\s*\(\s*/y;
/** No reference, enumeration or end of another number. */
const numberOfItem = /(?<![#\w.+-])[-+]?\d[\w.+-]*/g;

/**
 * A check of one entity after the other, each O(1) but for the name of the item.
 *
 * @param text of a STEP file
 * @param unit in which the file is written; null if unknown
 * @returns takes the number and type of an entity, and where its type ends; throws FormatError MALFORMED
 * @see ISO 10303-42 for what the entities hold
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
    const [numbersText = ''] = text.slice(from, from + mostCharacters).split(';', 1);
    const numbers = numbersText.match(numberOfItem) ?? [];
    const isFactor = kind === 'direction' || kind === 'length';
    const large = numbers.find(
      (digits) => !(Math.abs(Number(digits)) <= (isFactor ? largestFactor : largest)),
    );
    if (large !== undefined)
      throw malformed(`${name}: ${describe(kind, id, large)} that is too large. ${advice}`);
    if (kind !== 'radius' && !isFactor) return;
    // One component of a direction may well be what rounding leaves of 0.
    const most = Math.max(...numbers.map((digits) => Math.abs(Number(digits))));
    if (most > 0 && most < smallest)
      throw malformed(`${name}: ${describe(kind, id, numbers.join(', '))} that is too small. ${advice}`);
  };
}

const advice = 'Export it again.';
const describe = (kind: Kind, id: string, digits: string): string => `#${id} has a ${kind} of ${digits}`;

/** Where a text that begins at `from` ends, in which a quote is two quotes; `from` itself where none begins. */
function findEndOfName(text: string, from: number): number {
  let at = from;
  while (text[at] === "'") {
    const end = text.indexOf("'", at + 1);
    if (end < 0) return text.length;
    at = end + 1;
  }
  return at;
}
