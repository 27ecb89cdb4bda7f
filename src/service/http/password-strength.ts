/** Strength of new passwords: long enough and not easy to guess. */
import { passwordLength } from '#contract/shapes/password-length.ts';
import { invalidField } from './problem.ts';

/** With this many characters or more, a password only must not be among the first guesses. */
const LONG_ENOUGH = 12;
/** Required number of guesses by zxcvbn's estimate, which knows common passwords, names, dates and keyboard patterns. */
const NEEDED_GUESSES = { short: 1e8, long: 1e3 };

type Estimate = (password: string, known: string[]) => { guesses: number };
let estimate: Promise<Estimate> | undefined;

/** Loads the dictionaries when the first password is chosen, because they take time and memory. */
async function loadEstimate(): Promise<Estimate> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const factory = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return (password, known) => factory.check(password, known);
}

/** Why a new password is refused for the account; undefined when it is acceptable. */
export async function findPasswordFault(password: string, email: string): Promise<string | undefined> {
  const { min } = passwordLength;
  if (password.length < min) return `must have at least ${min} characters`;
  if (password.toLowerCase() === email.trim().toLowerCase()) return 'is the email address';
  estimate ??= loadEstimate();
  const { guesses } = (await estimate)(password, ['scanwright', ...email.toLowerCase().split(/[@.+_-]/)]);
  const isLong = password.length >= LONG_ENOUGH;
  if (guesses >= (isLong ? NEEDED_GUESSES.long : NEEDED_GUESSES.short)) return undefined;
  return isLong
    ? 'is too easy to guess; choose another one'
    : `is easy to guess; take ${LONG_ENOUGH} characters or more, or less common ones`;
}

/** @throws Problem VALIDATION_FAILED naming `field` */
export async function refuseWeakPassword(field: string, password: string, email: string): Promise<void> {
  const fault = await findPasswordFault(password, email);
  if (fault !== undefined) throw invalidField(field, fault);
}
