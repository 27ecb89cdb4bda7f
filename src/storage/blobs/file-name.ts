/** Names that users gave, as names of files on every system. */

const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/** A name has up to 255 bytes where Linux stores it, and a number or an ending is still added to it. */
const BYTES_PER_CHARACTER = 1.5;

/** What turns the direction of writing, or takes no place: a name that looks like another one. */
export const withoutInvisible = (name: string): string => name.replaceAll(/\p{Cf}/gu, '');

/**
 * A name that is one step of a path on every system: no separators, no control characters, no dots at its ends. One that
 * is too long keeps its ending.
 *
 * @param most characters; letters beyond the Latin ones are counted by their bytes
 */
export function safeName(name: string, most = 120): string {
  const plain = withoutInvisible(name.toWellFormed().normalize('NFC'))
    .replace(/[\p{Cc}\p{Zl}\p{Zp}<>:"/\\|?*]/gu, '-')
    .replace(/^[. ]+|[. ]+$/g, '');
  const short = shorten(plain, most);
  if (short === '') return 'unnamed';
  return reserved.test(short) ? `_${short}` : short;
}

function shorten(name: string, most: number): string {
  const fits = (text: string) => text.length <= most && Buffer.byteLength(text) <= most * BYTES_PER_CHARACTER;
  if (fits(name)) return name;
  const ending = /(?:\.[a-z0-9]{1,8}){1,2}$/i.exec(name)?.[0] ?? '';
  let stem = '';
  for (const letter of name) {
    if (!fits(stem + letter + ending)) break;
    stem += letter;
  }
  return stem.replace(/[. ]+$/, '') + ending;
}
