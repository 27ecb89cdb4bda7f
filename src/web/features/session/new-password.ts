import { passwordLength } from '#contract/shapes/password-length.ts';

const least = `At least ${passwordLength.min} characters`;

/** Help text below the field of a new password. */
export const newPasswordHelp = `${least}, not easy to guess.`;

export const checkNewPassword = (password: string): string | null =>
  password.length < passwordLength.min ? least : null;
