/**
 * Format of search parameters: plain words and numbers, lists as a repeated name (`tag=a&tag=b`), anything else as
 * JSON. A string that would parse as something else is quoted. A list of one element is read as that element; the
 * route's schema makes it a list again.
 */

const readValue = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const writeValue = (value: unknown): string => {
  if (typeof value !== 'string') return JSON.stringify(value);
  return typeof readValue(value) === 'string' && !value.startsWith('"') ? value : JSON.stringify(value);
};

/** Parses `?a=1&tag=x&tag=y` into an object; a repeated name becomes a list. */
export function parseSearch(search: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const parameters = new URLSearchParams(search);
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name).map(readValue);
    result[name] = values.length === 1 ? values[0] : values;
  }
  return result;
}

/** Writes the format that `parseSearch` reads; omits undefined values and empty lists. */
export function stringifySearch(search: Record<string, unknown>): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(search)) {
    if (value === undefined) continue;
    const isPlainList = Array.isArray(value) && value.every((item) => typeof item !== 'object');
    for (const item of isPlainList ? value : [value]) parameters.append(name, writeValue(item));
  }
  const text = parameters.toString();
  return text === '' ? '' : `?${text}`;
}
