/** Whether a new password holds: long enough, and not one that is guessed early. */
import { passwordLength } from '#contract/shapes/password-length.ts';
import { invalidField } from './problem.ts';

/** From so many characters on a password has to be no better than not to be one of the first that are tried. */
const LONG_ENOUGH = 12;
/** Guesses that it takes by zxcvbn's estimate, which knows common passwords, names, dates, rows of keys. */
const NEEDED_GUESSES = { short: 1e8, long: 1e3 };

type Estimate = (password: string, known: string[]) => { guesses: number };
let estimate: Promise<Estimate> | undefined;

/** The dictionaries take a moment and memory: they come when the first password is chosen. */
async function loadEstimate(): Promise<Estimate> {
  const [{ ZxcvbnFactory }, { dictionary, adjacencyGraphs }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ]);
  const factory = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs });
  return (password, known) => factory.check(password, known);
}

/** What is wrong with a new password of the account; undefined when nothing is. */
export async function findPasswordFault(password: string, email: string): Promise<string | undefined> {
  const { min } = passwordLength;
  if (password.length < min) return `must have at least ${min} characters`;
  if (password.toLowerCase() === email.trim().toLowerCase()) return 'is the e-mail address';
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
