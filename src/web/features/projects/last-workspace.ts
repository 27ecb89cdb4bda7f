const key = 'scanwright.workspace';

/**
 * The workspace of the last project created in this browser, else that of the newest project shown, else the only one;
 * only if the user can write to it.
 *
 * @param shown projects of the list
 */
export function lastWorkspace(
  writable: readonly { id: string }[],
  shown: readonly { workspaceId: string; createdAt: string }[],
): string | undefined {
  const newest = shown.toSorted((one, other) => other.createdAt.localeCompare(one.createdAt))[0];
  const [only, ...others] = writable;
  return [localStorage.getItem(key), newest?.workspaceId, others.length === 0 ? only?.id : undefined].find(
    (id) => writable.some((each) => each.id === id),
  ) as string | undefined;
}

export const rememberWorkspace = (id: string): void => localStorage.setItem(key, id);
