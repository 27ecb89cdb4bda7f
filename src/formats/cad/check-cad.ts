/** Checks of a CAD file's text before the third-party reader gets it. */
import { malformed, unsupported } from '../format-error.ts';
import { lengthChecker } from './check-step-lengths.ts';

/** Limit for the parts of an assembly, counting every placement. */
const maximumParts = 100_000;
/** Size of the tail of a file in which its end is searched. */
const tailBytes = 64 << 10;
/** Fits into a string with room to spare; larger files are not decompression-bomb-like small ones. */
const textBytes = 256 << 20;

/**
 * Refuses truncated files, files with duplicate entity numbers or impossible lengths (which may make the reader loop
 * forever), and assemblies that place parts more often than any machine can handle: a few kilobytes suffice if each
 * level contains the next one twice.
 *
 * @param unit unit of length stated in the file; null if unknown
 * @returns number of faces defined, if it can be determined
 * @throws FormatError
 */
export function checkCad(
  format: 'step' | 'iges',
  bytes: Uint8Array,
  name: string,
  unit: string | null = null,
): { definedFaces: number | null } {
  const decoder = new TextDecoder('latin1');
  const tail = decoder.decode(bytes.subarray(Math.max(0, bytes.length - tailBytes)));
  const end = format === 'step' ? /END-ISO-10303-21\s*;/ : /^.{72}T\s*\d+\s*$/m;
  if (!end.test(tail)) {
    const mark = format === 'step' ? '"END-ISO-10303-21;"' : 'its section T';
    throw malformed(`${name} is cut off: it does not end with ${mark}. Export it again.`);
  }
  if (format !== 'step') return { definedFaces: null };
  const text = decoder.decode(bytes.subarray(0, textBytes));
  const definedFaces = checkEntities(text, name, unit);
  checkAssembly(text, name);
  return { definedFaces };
}

/**
 * @returns number of entities that are faces
 * @see ISO 10303-21, 11.1: entity instance names are unique within the exchange structure
 */
function checkEntities(text: string, name: string, unit: string | null): number {
  // The start of a string or comment, or the number and type of an entity.
  const token = /'|\/\*|#(\d+)\s*=\s*([A-Z_\d]*)/g;
  const checkLengths = lengthChecker(text, name, unit);
  const known = new Set<number>();
  let faces = 0;
  for (let found = token.exec(text); found; found = token.exec(text)) {
    const [begin, digits, type = ''] = found;
    if (digits === undefined) {
      const end = begin === "'" ? begin : '*/';
      const at = text.indexOf(end, token.lastIndex);
      if (at < 0) break;
      token.lastIndex = at + end.length;
      continue;
    }
    const number = Number(digits);
    if (known.has(number))
      throw malformed(`${name} defines #${digits} twice, so it does not say what is meant. Export it again.`);
    known.add(number);
    if (type === 'ADVANCED_FACE' || type === 'FACE_SURFACE') faces++;
    else checkLengths(digits, type, token.lastIndex);
  }
  return faces;
}

const argument = String.raw`(?:'(?:[^']|'')*'|\$|\*)\s*,\s*`;
/** id, name, description, then the assembly and the part in it */
const occurrence = new RegExp(
  String.raw`NEXT_ASSEMBLY_USAGE_OCCURRENCE\s*\(\s*(?:${argument}){3}#(\d+)\s*,\s*#(\d+)`,
  'g',
);
const representation = /#(\d+)\s*=\s*[A-Z_]*REPRESENTATION\s*\(\s*'(?:[^']|'')*'\s*,\s*\(([^()]*)\)/g;
const mappedItem = /#(\d+)\s*=\s*MAPPED_ITEM\s*\(\s*'(?:[^']|'')*'\s*,\s*#(\d+)/g;
const representationMap = /#(\d+)\s*=\s*REPRESENTATION_MAP\s*\(\s*#\d+\s*,\s*#(\d+)/g;

/** The two ways STEP places things repeatedly: usages of products, and mapped items of shapes. */
function checkAssembly(text: string, name: string): void {
  const products = new Map<string, string[]>();
  for (const [, parent = '', child = ''] of text.matchAll(occurrence)) append(products, parent, child);
  const shapes = new Map<string, string[]>();
  for (const [, id = '', map = ''] of text.matchAll(mappedItem)) append(shapes, id, map);
  if (shapes.size > 0) {
    for (const [, id = '', shape = ''] of text.matchAll(representationMap)) append(shapes, id, shape);
    for (const [, id = '', items = ''] of text.matchAll(representation)) {
      for (const [, item = ''] of items.matchAll(/#(\d+)/g)) if (shapes.has(item)) append(shapes, id, item);
    }
  }
  for (const graph of [products, shapes]) {
    const parts = countPlaced(graph, name);
    if (parts > maximumParts) {
      throw unsupported(
        `${name}: the assembly places ${parts} parts; at most ${maximumParts} are read. Export a part of it.`,
      );
    }
  }
}

function append(graph: Map<string, string[]>, parent: string, child: string): void {
  const children = graph.get(parent);
  if (children) children.push(child);
  else graph.set(parent, [child]);
}

/**
 * The largest number of placements by any node of the graph, including itself. @throws FormatError MALFORMED for cycles
 */
function countPlaced(graph: Map<string, string[]>, name: string): number {
  const known = new Map<string, number>();
  const open = new Set<string>();
  let most = 0;
  for (const root of graph.keys()) {
    const stack = [root];
    for (let id = stack.at(-1); id !== undefined; id = stack.at(-1)) {
      const children = graph.get(id) ?? [];
      if (known.has(id)) stack.pop();
      else if (open.has(id)) {
        known.set(
          id,
          children.reduce((sum, child) => sum + (known.get(child) ?? 0), 1),
        );
        most = Math.max(most, known.get(id) ?? 0);
      } else {
        open.add(id);
        for (const child of children) {
          if (open.has(child) && !known.has(child)) throw malformed(`${name}: an assembly contains itself.`);
          if (!known.has(child)) stack.push(child);
        }
      }
    }
  }
  return most;
}
