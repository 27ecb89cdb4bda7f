import { malformed } from '../format-error.ts';

/** Text is decoded in blocks of this size, because the whole file may exceed the longest string. */
const blockBytes = 1 << 20;
/** Longer lines are not text. */
const maximumLine = 16 << 20;

/** Length of the byte order mark that Windows programs put in front of text. */
export const markLength = ([a, b, c]: Uint8Array): number => (a === 0xef && b === 0xbb && c === 0xbf ? 3 : 0);

/** Lines of a text file, decoded block by block; the last line may lack a newline. */
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

/** Whitespace-separated words of a text file. */
export function* listWords(bytes: Uint8Array, from = 0): Generator<string> {
  for (const line of listLines(bytes, from)) {
    for (const word of line.split(/\s+/)) if (word !== '') yield word;
  }
}
