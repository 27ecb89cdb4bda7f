import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { carriedOutAnalyses, operationTitle } from '#contract/analyses/kinds.ts';
import { explain } from '#web/api/errors.ts';
import type { AnalysisModule } from '#web/api/generated/types.gen.ts';
import { PlainList } from '#web/ui/plain-list.tsx';
import { ProblemAlert } from '#web/ui/problem-alert.tsx';
import { spellOut } from '#web/ui/quantity.ts';
import { ReasonedSwitch } from '#web/ui/reasoned-switch.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { moduleOptions } from './queries.ts';

interface ModulesTableProps {
  organizationId: string;
  isManager: boolean;
}

const isCarriedOut = (kind: string): boolean => carriedOutAnalyses.some((each) => each === kind);

/** The analyses of a module; those that this version does not carry out say so. */
function Analyses({ operations }: { operations: string[] }) {
  return operations.map((kind, index) => (
    <span key={kind}>
      {index > 0 && ', '}
      {operationTitle(kind) ?? spellOut(kind)}
      {!isCarriedOut(kind) && (
        <Text span inherit c="dimmed">
          {' '}
          (not in this version)
        </Text>
      )}
    </span>
  ));
}

export function ModulesTable({ organizationId, isManager }: ModulesTableProps) {
  const modules = useQuery(moduleOptions(organizationId));
  const { patchModule } = useOrganizationMutations();
  if (modules.isError) return <ProblemAlert {...explain(modules.error)} onRetry={() => modules.refetch()} />;
  const toggle = (module: AnalysisModule, enabled: boolean) =>
    patchModule.mutate({ path: { id: organizationId, moduleId: module.id }, body: { enabled } });
  return (
    <Stack gap="sm">
      <Text c="dimmed" className="measure">
        An analysis whose module is off can't be started in this organization. Results that are there stay.
      </Text>
      <PlainList
        caption="Analysis modules"
        isPending={modules.isPending}
        headings={[{ title: 'Module', width: 240 }, { title: 'Analyses' }, { title: 'On', width: 90 }]}
      >
        {modules.data?.results.map((module) => (
          <Table.Tr key={module.id}>
            <Table.Td fw={500}>{module.name}</Table.Td>
            <Table.Td>
              <Analyses operations={module.operations} />
            </Table.Td>
            <Table.Td>
              <ReasonedSwitch
                aria-label={module.name}
                checked={module.enabled}
                reason={isManager ? null : 'Only a manager can switch modules'}
                onChange={(enabled) => toggle(module, enabled)}
              />
            </Table.Td>
          </Table.Tr>
        ))}
      </PlainList>
    </Stack>
  );
}
