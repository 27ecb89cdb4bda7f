/** Characters of a password; without a schema, so that the sign-in page needs no library to know them. */
export const passwordLength = { min: 10, max: 1024 } as const;
