import type { ProjectAction } from '#contract/shapes/project.ts';
import type { Capability } from '#web/api/generated/types.gen.ts';

interface Described {
  capabilities: readonly Capability[];
}

/**
 * Why the caller may not do `action` with the project, in words of the service; null when he may. An action that
 * the service does not mention is left to the service to refuse.
 */
export function reasonAgainst({ capabilities }: Described, action: ProjectAction): string | null {
  const capability = capabilities.find((candidate) => candidate.action === action);
  if (!capability || capability.allowed) return null;
  return capability.reason ?? 'Your role does not allow this.';
}

/** Whether all that is missing is something to compare with, which another project may have. */
export const lacksReference = ({ capabilities }: Described, action: ProjectAction): boolean =>
  capabilities.some((candidate) => candidate.action === action && candidate.missing === 'reference');

/**
 * For several: how many allow it, and the reason most often given where none does.
 * Some is enough: those that don't allow it answer for themselves.
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
