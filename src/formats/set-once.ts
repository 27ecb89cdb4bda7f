import { malformed } from './format-error.ts';

/**
 * Sets a field of a text header. Which of two values is meant nobody knows: one of them would be a wrong size or scale
 * without a word.
 *
 * @throws FormatError MALFORMED when the field has another value already
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
