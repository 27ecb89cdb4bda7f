import { malformed } from '../format-error.ts';

/** Blocks in which text is decoded; a string of the whole file would pass what an engine can hold. */
const blockBytes = 1 << 20;
/** A line longer than this is no text. */
const maximumLine = 16 << 20;

/** Windows programs put a byte order mark in front of text. */
export const markLength = ([a, b, c]: Uint8Array): number => (a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0);

/** Lines of a text file, decoded block by block; a last line without newline counts. */
export function* listLines(bytes: Uint8Array, from = 0): Generator<string> {
  const decoder = new TextDecoder('latin1');
  let rest = '';
  if (from === 0) from = markLength(bytes);
  for (let at = from; at < bytes.length; at += blockBytes) {
    const lines = (rest + decoder.decode(bytes.subarray(at, at + blockBytes))).split(/\r\n|\n|\r/);
    rest = lines.pop() ?? '';
    if (rest.length > maximumLine)
      throw malformed(`A line of the text file is longer than ${maximumLine} characters.`);
    yield* lines;
  }
  if (rest !== '') yield rest;
}

/** Words between blanks of a text file. */
export function* listWords(bytes: Uint8Array, from = 0): Generator<string> {
  for (const line of listLines(bytes, from)) {
    for (const word of line.split(/\s+/)) if (word !== '') yield word;
  }
}
