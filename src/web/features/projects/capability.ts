import type { ProjectAction } from '#contract/shapes/project.ts';
import type { Capability } from '#web/api/generated/types.gen.ts';

interface Described {
  capabilities: readonly Capability[];
}

/**
 * Why the user may not perform `action` on the project, in the words of the service; null if they may. An action
 * unknown to the service is left for the service to refuse.
 */
export function reasonAgainst({ capabilities }: Described, action: ProjectAction): string | null {
  const capability = capabilities.find((candidate) => candidate.action === action);
  if (!capability || capability.allowed) return null;
  return capability.reason ?? 'Your role does not allow this.';
}

/** Whether only a reference is missing, which another project may have. */
export const lacksReference = ({ capabilities }: Described, action: ProjectAction): boolean =>
  capabilities.some((candidate) => candidate.action === action && candidate.missing === 'reference');

/**
 * For several projects: how many allow the action, and the most frequent reason if none does. One is enough: the
 * service reports the others individually.
 */
export function rightToEach(
  projects: readonly Described[],
  action: ProjectAction,
): { count: number; reason: string | null } {
  const reasons = projects.map((project) => reasonAgainst(project, action));
  const count = reasons.filter((reason) => reason === null).length;
  if (count > 0 || projects.length === 0) return { count, reason: null };
  const [most] = [...Map.groupBy(reasons, (reason) => reason)].toSorted(
    ([, a], [, b]) => b.length - a.length,
  );
  return { count, reason: most?.[0] ?? null };
}
