import { malformed, unsupported } from '../format-error.ts';

export interface XmlToken {
  kind: 'open' | 'close' | 'text';
  /** local name of the element without namespace prefix; empty for text */
  name: string;
  attributes: Record<string, string>;
  /** the text between two tags with entities resolved; empty for tags */
  text: string;
}

const named: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

/**
 * Resolves the five named entities and character references; document-defined entities are not expanded (no entity
 * bombs).
 */
function resolveEntities(text: string): string {
  if (!text.includes('&')) return text;
  return text.replace(/&(#x?[0-9a-fA-F]{1,6}|[a-z]{1,5});/g, (whole, name: string) => {
    if (!name.startsWith('#')) return named[name] ?? whole;
    const code = name[1] === 'x' ? Number.parseInt(name.slice(2), 16) : Number(name.slice(1));
    return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}

const localName = (name: string) => name.slice(name.indexOf(':') + 1);

/** Deeper than any file of parts or pictures. */
const maximumDepth = 256;

/**
 * Walks through XML tag by tag without building a tree. An empty element (`<a/>`) gives open and close. Declarations,
 * comments and processing instructions are skipped; attributes keep local names only.
 *
 * @throws FormatError MALFORMED for unterminated tags, comments or elements; UNSUPPORTED for a document type, whose
 * entities could expand without limit, and for elements nested too deep
 */
export function* readXml(text: string, where: string): Generator<XmlToken> {
  const open: string[] = [];
  for (const token of readTokens(text, where)) {
    if (token.kind === 'open' && open.push(token.name) > maximumDepth)
      throw unsupported(`${where}: the XML is nested more than ${maximumDepth} elements deep.`);
    if (token.kind === 'close' && open.pop() !== token.name)
      throw malformed(`${where}: the XML closes <${token.name.slice(0, 40)}>, which is not open.`);
    yield token;
  }
  if (open.length > 0)
    throw malformed(`${where}: the XML is cut off inside of <${open.at(-1)?.slice(0, 40)}>.`);
}

function* readTokens(text: string, where: string): Generator<XmlToken> {
  let at = 0;
  while (at < text.length) {
    const tagStart = text.indexOf('<', at);
    const textEnd = tagStart < 0 ? text.length : tagStart;
    if (textEnd > at) {
      const content = text.slice(at, textEnd);
      if (/\S/.test(content))
        yield { kind: 'text', name: '', attributes: {}, text: resolveEntities(content) };
    }
    if (tagStart < 0) return;
    if (text.startsWith('<!--', tagStart)) at = after(text, '-->', tagStart + 4, where);
    else if (text.startsWith('<![CDATA[', tagStart)) {
      at = after(text, ']]>', tagStart + 9, where);
      yield { kind: 'text', name: '', attributes: {}, text: text.slice(tagStart + 9, at - 3) };
    } else if (text.startsWith('<?', tagStart)) at = after(text, '?>', tagStart + 2, where);
    else if (text.startsWith('<!', tagStart))
      throw unsupported(`${where}: XML with a document type (<!DOCTYPE>) is not read.`);
    else {
      at = tagEnd(text, tagStart + 1, where);
      yield* tagTokens(text.slice(tagStart + 1, at - 1));
    }
  }
}

function after(text: string, mark: string, from: number, where: string): number {
  const at = text.indexOf(mark, from);
  if (at < 0) throw malformed(`${where}: the XML ends inside of a tag or comment (character ${from}).`);
  return at + mark.length;
}

/** Position after the `>` that ends a tag; one inside quotes does not. */
function tagEnd(text: string, from: number, where: string): number {
  let quote = '';
  for (let i = from; i < text.length; i++) {
    const c = text[i];
    if (quote) {
      if (c === quote) quote = '';
    } else if (c === '"' || c === "'") quote = c;
    else if (c === '>') return i + 1;
  }
  throw malformed(`${where}: the XML ends inside of a tag (character ${from}).`);
}

function* tagTokens(tag: string): Generator<XmlToken> {
  if (tag.startsWith('/')) {
    yield { kind: 'close', name: localName(tag.slice(1).trim()), attributes: {}, text: '' };
    return;
  }
  const empty = tag.endsWith('/');
  const nameEnd = tag.search(/[\s/]|$/);
  const name = localName(tag.slice(0, nameEnd));
  const attributes = readAttributes(tag, nameEnd);
  yield { kind: 'open', name, attributes, text: '' };
  if (empty) yield { kind: 'close', name, attributes: {}, text: '' };
}

/**
 * `name="value"` pairs from a position on, in one pass: a regular expression would take quadratic time on a hostile
 * tag.
 */
function readAttributes(tag: string, from: number): Record<string, string> {
  const attributes: Record<string, string> = {};
  for (let at = from; ; ) {
    const equals = tag.indexOf('=', at);
    if (equals < 0) return attributes;
    const words = tag.slice(at, equals).trim();
    const name = words.slice(
      Math.max(words.lastIndexOf(' '), words.lastIndexOf('\n'), words.lastIndexOf('\t')) + 1,
    );
    let open = equals + 1;
    while (open < tag.length && /\s/.test(tag.charAt(open))) open++;
    const quote = tag[open];
    if (quote !== '"' && quote !== "'") {
      at = open + 1;
      continue;
    }
    const close = tag.indexOf(quote, open + 1);
    if (close < 0) return attributes;
    attributes[localName(name)] = resolveEntities(tag.slice(open + 1, close));
    at = close + 1;
  }
}
