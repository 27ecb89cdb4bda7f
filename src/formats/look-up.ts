/** Looks up a name from a file in a table, without finding inherited names such as "constructor". */
export function lookUp<Value>(
  table: Readonly<Record<string, Value>>,
  name: string | number,
): Value | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
