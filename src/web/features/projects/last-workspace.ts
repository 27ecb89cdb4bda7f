const key = 'scanwright.workspace';

/**
 * The workspace of the last project created in this browser, if the user can still write to it; else the only writable
 * one.
 */
export function lastWorkspace(writable: readonly { id: string }[]): string | undefined {
  const last = localStorage.getItem(key);
  const [only, ...others] = writable;
  return writable.find(({ id }) => id === last)?.id ?? (others.length === 0 ? only?.id : undefined);
}

export const rememberWorkspace = (id: string): void => localStorage.setItem(key, id);
