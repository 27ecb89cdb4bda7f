import type { AnalysisKind } from '#contract/analyses/registry.ts';
import { analyses } from '#contract/analyses/registry.ts';
import type { Project } from '#contract/shapes/project.ts';
import { reasonAgainst } from '#web/features/projects/capability.ts';
import { useCommands } from '#web/ui/commands.ts';
import type { ProjectTab } from './project-search.ts';

/** Keys for the tabs, and palette commands for everything that can be run on the project. */
export function useProjectCommands(
  project: Project,
  showTab: (tab: ProjectTab) => void,
  onRun: (kind: AnalysisKind) => void,
): void {
  useCommands([
    {
      keys: 't v',
      label: 'Show the viewer and the results',
      group: 'Project',
      run: () => showTab('overview'),
    },
    { keys: 't d', label: 'Show the data', group: 'Project', run: () => showTab('data') },
    { keys: 't o', label: 'Show the operations', group: 'Project', run: () => showTab('operations') },
    { keys: 't b', label: 'Show the bookmarks', group: 'Project', run: () => showTab('bookmarks') },
    { keys: 't r', label: 'Show the runs of recipes', group: 'Project', run: () => showTab('recipes') },
    { keys: 't e', label: 'Show the exports', group: 'Project', run: () => showTab('exports') },
    ...analyses.map(({ key, title }) => ({
      label: `Run ${title.replace(/^[A-Z](?=[a-z])/, (first) => first.toLowerCase())}`,
      reason: reasonAgainst(project, key),
      run: () => onRun(key),
    })),
    { label: 'Export the project', reason: null, run: () => showTab('exports') },
  ]);
}
