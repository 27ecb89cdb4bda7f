/** The entry of a table under a name that a file gives: "constructor" and the like are not names of every table. */
export function lookUp<Value>(
  table: Readonly<Record<string, Value>>,
  name: string | number,
): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
