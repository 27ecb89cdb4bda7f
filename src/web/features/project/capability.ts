import type { ProjectAction } from '#contract/shapes/project.ts';
import type { Capability } from '#web/api/generated/types.gen.ts';

/**
 * Why the caller may not do `action` with the project, in words of the service; null when he may. An action that
 * the service does not mention is left to the service to refuse.
 */
export function reasonAgainst(
  project: { capabilities: readonly Capability[] },
  action: ProjectAction,
): string | null {
  const capability = project.capabilities.find((candidate) => candidate.action === action);
  if (!capability || capability.allowed) return null;
  return capability.reason ?? 'Your role does not allow this.';
}

/** Whether all that is missing is something to compare with, which another project may have. */
export const lacksReference = (
  project: { capabilities: readonly Capability[] },
  action: ProjectAction,
): boolean =>
  project.capabilities.some((candidate) => candidate.action === action && candidate.missing === 'reference');
