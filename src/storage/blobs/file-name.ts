/** Converts names given by users to file names that are valid on every system. */

const reserved = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
/** Linux allows 255 bytes per name, and a number or extension may still be appended. */
const BYTES_PER_CHARACTER = 1.5;

/** Removes direction controls and zero-width characters, with which a name could look like another one. */
export const withoutInvisible = (name: string): string => name.replaceAll(/\p{Cf}/gu, '');

/**
 * A name that is a single path segment on every system: no separators or control characters, no leading or trailing dots.
 * A name that is too long keeps its extension.
 *
 * @param most maximum length in characters; non-Latin characters count by their bytes
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
