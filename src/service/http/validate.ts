/** Converts Zod issues to problems that state what is wrong, where, and what would be valid. */
import type { z } from 'zod';
import type { FieldProblem } from '#contract/shapes/problem.ts';
import { Problem } from './problem.ts';

type Issue = z.core.$ZodIssue;
export type Place = 'path' | 'query' | 'body';

/** Maximum number of errors in one response. */
const MAX_ERRORS = 50;

const nameField = (path: readonly PropertyKey[], place: Place): string =>
  path.length === 0 ? place : path.map(String).join('.');

function describeIssue(issue: Issue): string {
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return 'is missing';
      return `must be ${article(issue.expected)}`;
    case 'invalid_format':
      if (issue.format === 'guid' || issue.format === 'uuid') return 'is not a UUID';
      if (issue.format === 'email') return 'is not an email address';
      return issue.message;
    case 'invalid_value':
      return `must be one of ${issue.values.map(String).join(', ')}`;
    case 'too_small':
      if ((issue.origin === 'string' || issue.origin === 'array') && issue.minimum === 1)
        return 'must not be empty';
      if (issue.origin === 'array') return `must have at least ${issue.minimum} entries`;
      return `must be ${issue.inclusive === false ? 'more than' : 'at least'} ${issue.minimum}${sizeUnit(issue.origin)}`;
    case 'too_big':
      if (issue.origin === 'array') return `must have at most ${issue.maximum} entries`;
      return `must be ${issue.inclusive === false ? 'less than' : 'at most'} ${issue.maximum}${sizeUnit(issue.origin)}`;
    default:
      return issue.message;
  }
}

function article(expected: string): string {
  if (expected === 'int') return 'a whole number';
  if (expected === 'boolean') return 'true or false';
  return `${/^[aeiou]/.test(expected) ? 'an' : 'a'} ${expected}`;
}

const sizeUnit = (origin: string): string => (origin === 'string' ? ' characters long' : '');

function fieldProblems(issues: readonly Issue[], place: Place): FieldProblem[] {
  return issues.flatMap((issue): FieldProblem[] => {
    if (issue.code === 'unrecognized_keys') {
      return issue.keys.map((key) => ({
        field: nameField([...issue.path, key], place),
        detail: place === 'query' ? 'is not a query name of this operation' : 'is not a field of this body',
        code: 'VALIDATION_FAILED',
      }));
    }
    const isId = issue.code === 'invalid_format' && (issue.format === 'guid' || issue.format === 'uuid');
    return [
      {
        field: nameField(issue.path, place),
        detail: describeIssue(issue),
        code: isId ? 'INVALID_UUID' : 'VALIDATION_FAILED',
      },
    ];
  });
}

/** The problem for a failed parse; a malformed id in path or query has its own code. */
export function validationProblem(error: z.ZodError, place: Place): Problem {
  const errors = fieldProblems(error.issues, place).slice(0, MAX_ERRORS);
  const [first] = errors;
  if (first === undefined) throw new Error('a failed parse without an issue', { cause: error });
  const code = place !== 'body' && first.code === 'INVALID_UUID' ? 'INVALID_UUID' : 'VALIDATION_FAILED';
  return new Problem(code, `${first.field} ${first.detail}`, { field: first.field, errors });
}

/** @throws Problem VALIDATION_FAILED or INVALID_UUID */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  place: Place,
): z.output<Schema> {
  const parsed = schema.safeParse(value, { reportInput: true });
  if (!parsed.success) throw validationProblem(parsed.error as z.ZodError, place);
  return parsed.data;
}
