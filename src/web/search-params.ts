/**
 * How search parameters stand in the address: plain words and numbers, lists as a repeated name
 * (`tag=a&tag=b`), anything else as JSON. A string that would be read as something else is quoted.
 * A list of one reads back as its only value: the schema of the route makes it a list again.
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

/** Reads `?a=1&tag=x&tag=y` into an object; a name that repeats becomes a list. */
export function parseSearch(search: string): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const parameters = new URLSearchParams(search);
  for (const name of new Set(parameters.keys())) {
    const values = parameters.getAll(name).map(readValue);
    result[name] = values.length === 1 ? values[0] : values;
  }
  return result;
}

/** Writes what `parseSearch` reads; leaves out what is undefined and lists that are empty. */
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
