/** Length limits of a password in characters. Not a schema, so that the sign-in page need not load Zod. */
export const passwordLength = { min: 10, max: 1024 } as const;
