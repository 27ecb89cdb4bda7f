/** Makes text storable: PostgreSQL accepts neither U+0000 nor unpaired surrogates, and files may contain both. */
const storableText = (text: string): string => text.replaceAll('\0', '\u{fffd}').toWellFormed();

/** The JSON value with U+FFFD in place of each character that PostgreSQL would refuse. */
export function makeStorable<Value>(value: Value): Value {
  if (typeof value === 'string') return storableText(value) as Value;
  if (Array.isArray(value)) return value.map(makeStorable) as Value;
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const entries = Object.entries(value).map(([name, inner]) => [storableText(name), makeStorable(inner)]);
  return Object.fromEntries(entries) as Value;
}
