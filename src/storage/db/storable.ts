/** Text that PostgreSQL takes: it knows neither U+0000 nor half of a surrogate pair, and files can hold both. */
const storableText = (text: string): string => text.replaceAll('\0', '\u{fffd}').toWellFormed();

/** The same JSON value with U+FFFD wherever PostgreSQL would refuse a character. */
export function makeStorable<Value>(value: Value): Value {
  if (typeof value === 'string') return storableText(value) as Value;
  if (Array.isArray(value)) return value.map(makeStorable) as Value;
  if (value === null || typeof value !== 'object' || Object.getPrototypeOf(value) !== Object.prototype)
    return value;
  const entries = Object.entries(value).map(([name, inner]) => [storableText(name), makeStorable(inner)]);
  return Object.fromEntries(entries) as Value;
}
