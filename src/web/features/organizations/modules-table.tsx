import { Stack, Table, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { findTitle } from '#contract/analyses/registry.ts';
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

export function ModulesTable({ organizationId, isManager }: ModulesTableProps) {
  const modules = useQuery(moduleOptions(organizationId));
  const { patchModule } = useOrganizationMutations();
  if (modules.isError) return <ProblemAlert query={modules} />;
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
              {module.operations.map((kind) => findTitle(kind) ?? spellOut(kind)).join(', ')}
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
