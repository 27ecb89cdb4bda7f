/**
 * A strict XML 1.0 tree (without DOCTYPE, CDATA and comments): anything not well-formed is refused. Provides
 * `querySelector` and the other parts of a browser's DOMParser that third-party readers need. It shares no code with
 * our reader, so that its errors cannot hide here.
 * @see https://www.w3.org/TR/xml/
 */
const nameOf = String.raw`[A-Za-z_][\w.-]*(?::[A-Za-z_][\w.-]*)?`;
const attribute = new RegExp(String.raw`\s+(${nameOf})\s*=\s*(?:"([^"<]*)"|'([^'<]*)')`, 'y');
const opening = new RegExp(`<(${nameOf})`, 'y');
const closing = new RegExp(String.raw`</(${nameOf})\s*>`, 'y');
const text = /[^<]+/y;
const declaration = /<\?xml\s+version="1\.0"(?:\s+encoding="UTF-8")?\s*\?>\s*/y;
const entities: Record<string, string> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

export class XmlElement {
  readonly nodeName: string;
  readonly attributes: { name: string; value: string }[] = [];
  readonly children: XmlElement[] = [];
  ownText = '';
  readonly #parent: XmlElement | null;
  constructor(nodeName: string, parent: XmlElement | null) {
    this.nodeName = nodeName;
    this.#parent = parent;
  }
  get namespaceURI(): string | null {
    const [prefix] = this.nodeName.includes(':') ? this.nodeName.split(':') : [''];
    const declared = prefix === '' ? 'xmlns' : `xmlns:${prefix}`;
    for (let at: XmlElement | null = this; at; at = at.#parent) {
      const uri = at.getAttribute(declared);
      if (uri !== null) return uri;
    }
    return null;
  }
  get textContent(): string {
    return this.ownText + this.children.map((child) => child.textContent).join('');
  }
  getAttribute(name: string): string | null {
    return this.attributes.find((each) => each.name === name)?.value ?? null;
  }
  /** names of nested elements */
  querySelectorAll(selector: string): XmlElement[] {
    const [first, ...rest] = selector.split(' ');
    const found = this.#below().filter(({ nodeName }) => nodeName === first);
    if (rest.length === 0) return found;
    return found.flatMap((each) => each.querySelectorAll(rest.join(' ')));
  }
  getElementsByTagNameNS(uri: string, localName: string): XmlElement[] {
    return this.#below().filter(
      (each) => each.namespaceURI === uri && each.nodeName.split(':').at(-1) === localName,
    );
  }
  querySelector(selector: string): XmlElement | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }
  #below(): XmlElement[] {
    return this.children.flatMap((child) => [child, ...child.#below()]);
  }
}

export class XmlDocument extends XmlElement {
  get documentElement(): XmlElement {
    return this.children[0];
  }
}

function resolved(value: string): string {
  return value.replaceAll(/&([^;]*;?)/g, (whole, name: string) => {
    const known = entities[name.slice(0, -1)];
    if (known === undefined || !name.endsWith(';')) throw new Error(`“${whole}” is no entity`);
    return known;
  });
}

export function parseXml(source: string): XmlDocument {
  let at = 0;
  const take = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (found) at = pattern.lastIndex;
    return found;
  };
  const document = new XmlDocument('#document', null);
  const open: XmlElement[] = [document];
  take(declaration);
  while (at < source.length) {
    const parent = open[open.length - 1];
    const words = take(text);
    if (words) {
      if (open.length === 1 && words[0].trim() !== '')
        throw new Error(`text outside of the root: ${words[0]}`);
      parent.ownText += resolved(words[0]);
      continue;
    }
    const end = take(closing);
    if (end) {
      if (open.pop()?.nodeName !== end[1] || open.length === 0)
        throw new Error(`</${end[1]}> closes nothing`);
      continue;
    }
    const start = take(opening);
    if (!start) throw new Error(`not well-formed from here on: ${source.slice(at, at + 40)}`);
    const element = new XmlElement(start[1], parent);
    for (let found = take(attribute); found; found = take(attribute)) {
      if (element.getAttribute(found[1]) !== null) throw new Error(`${found[1]} is there twice`);
      element.attributes.push({ name: found[1], value: resolved(found[2] ?? found[3]) });
    }
    if (open.length === 1 && parent.children.length > 0) throw new Error('a second root');
    parent.children.push(element);
    const tagEnd = take(/\s*(\/?)>/y);
    if (!tagEnd) throw new Error(`<${start[1]}> has no end`);
    if (tagEnd[1] === '') open.push(element);
  }
  if (open.length !== 1) throw new Error(`<${open[open.length - 1].nodeName}> is not closed`);
  if (document.children.length === 0) throw new Error('there is no element');
  return document;
}
