/** Actions a caller may perform on a project, with reasons for those refused. */
import type { AnalysisDeclaration } from '#contract/analyses/declaration.ts';
import { findAnalysis } from '#contract/analyses/registry.ts';
import type { WorkspaceRole } from '#contract/shapes/organization.ts';
import type { Capability, ProjectAction, ProjectState } from '#contract/shapes/project.ts';

export interface CapabilityFacts {
  role: WorkspaceRole;
  state: ProjectState;
  /** keys of the modules disabled for the organization */
  disabledModules: ReadonlySet<string>;
  /** number of data objects of each kind; kinds without any are absent */
  kinds: ReadonlyMap<string, number>;
  /** number of source files from which all of these originate */
  files: number;
}

type Reason = Pick<Capability, 'missing'> & { reason: string };

const NEEDS_EDITOR = 'this needs the editor role in the workspace';
const IN_TRASH = 'the project is in the trash; restore it first';
const ARCHIVED = 'the project is archived; restore it first';

/** Actions also allowed on an archived project. */
const harmless: ReadonlySet<ProjectAction> = new Set([
  'copy',
  'delete',
  'archive',
  'restore',
  'export',
  'comment',
]);
const forViewers: ReadonlySet<ProjectAction> = new Set(['export', 'comment']);

function findReason(
  { module, needs: { source, reference } }: AnalysisDeclaration,
  { disabledModules, kinds, files }: CapabilityFacts,
): Reason | null {
  if (disabledModules.has(module.key))
    return { reason: `the module ${module.name} is off for this organization` };
  if (source.length > 0 && !source.some((wanted) => kinds.has(wanted)))
    return {
      reason: `the project has no ${source.join(' or ')} yet; upload ${source[0] === 'radiographs' ? 'them' : 'one'} first`,
      missing: 'source',
    };
  // One of them is the source, and data made from the source can't be its reference.
  const fitting = reference.reduce((sum, wanted) => sum + (kinds.get(wanted) ?? 0), 0);
  if (reference.length > 0 && (fitting < 2 || files < 2))
    return {
      reason: 'the project has nothing to compare with; upload a CAD model (STEP, STL) or another scan first',
      missing: 'reference',
    };
  return null;
}

/** Why an action is refused; null when allowed. Checks role, then state, module and data. */
function reasonAgainst(action: ProjectAction, facts: CapabilityFacts): Reason | null {
  const { state } = facts;
  if (facts.role === 'viewer' && !forViewers.has(action)) return { reason: NEEDS_EDITOR };
  if (action === 'restore') return state === 'active' ? { reason: 'the project is active already' } : null;
  if (state === 'deleted') return { reason: IN_TRASH };
  if (action === 'archive')
    return state === 'archived' ? { reason: 'the project is archived already' } : null;
  if (state === 'archived' && !harmless.has(action)) return { reason: ARCHIVED };
  const analysis = findAnalysis(action);
  return analysis ? findReason(analysis, facts) : null;
}

export function describeCapabilities(
  actions: readonly ProjectAction[],
  facts: CapabilityFacts,
): Capability[] {
  return actions.map((action) => {
    const reason = reasonAgainst(action, facts);
    return { action, allowed: reason === null, reason: null, ...reason };
  });
}
