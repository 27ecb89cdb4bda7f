import { malformed } from './format-error.ts';

/**
 * Sets a field of a text header. If a field has two values, it is unknown which one is meant, and the wrong one would
 * give a wrong size or scale silently.
 *
 * @throws FormatError MALFORMED when the field already has another value
 */
export function setOnce(fields: Map<string, string>, name: string, value: string, where: string): void {
  const before = fields.get(name);
  if (before !== undefined && before !== value) {
    throw malformed(
      `${where}: the header says ${name} twice, "${before.slice(0, 60)}" and "${value.slice(0, 60)}"; keep the right one.`,
    );
  }
  fields.set(name, value);
}
