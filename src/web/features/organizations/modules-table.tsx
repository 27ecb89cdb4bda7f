import { Stack, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { findTitle } from '#contract/analyses/registry.ts';
import type { AnalysisModule } from '#web/api/generated/types.gen.ts';
import { type DataTableColumn, wrapClass } from '#web/ui/data-table.tsx';
import { List } from '#web/ui/list-page.tsx';
import { spellOut } from '#web/ui/quantity.ts';
import { ReasonedSwitch } from '#web/ui/reasoned-switch.tsx';
import { useOrganizationMutations } from './mutations.ts';
import { moduleOptions } from './queries.ts';

interface ModulesTableProps {
  organizationId: string;
  isManager: boolean;
}

export function ModulesTable({ organizationId, isManager }: ModulesTableProps) {
  const { patchModule } = useOrganizationMutations();
  const columns: DataTableColumn<AnalysisModule>[] = [
    { key: 'name', title: 'Module', width: 240, render: ({ name }) => <b>{name}</b> },
    {
      key: 'analyses',
      title: 'Analyses',
      render: ({ operations }) => (
        <span className={wrapClass}>
          {operations.map((kind) => findTitle(kind) ?? spellOut(kind)).join(', ')}
        </span>
      ),
    },
    {
      key: 'on',
      title: 'On',
      width: 90,
      render: ({ id: moduleId, name, enabled }) => (
        <ReasonedSwitch
          aria-label={name}
          checked={enabled}
          reason={isManager ? null : 'Only a manager can switch modules'}
          onChange={(isOn) =>
            patchModule.mutate({ path: { id: organizationId, moduleId }, body: { enabled: isOn } })
          }
        />
      ),
    },
  ];
  return (
    <Stack gap="sm">
      <Text c="dimmed" className="measure">
        An analysis whose module is off can't be started in this organization. Existing results stay.
      </Text>
      <List
        caption="Analysis modules"
        list={useQuery(moduleOptions(organizationId))}
        columns={columns}
        empty={{ title: 'No analysis modules' }}
        isWhole
      />
    </Stack>
  );
}
