import { Box, Stack, Tabs, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '#contract/base/format-number.ts';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { ProblemPage } from '#web/ui/problem-alert.tsx';
import { formatBytes } from '#web/ui/quantity.ts';
import { AuditLog } from './audit-log.tsx';
import { MembersTable } from './members-table.tsx';
import { ModulesTable } from './modules-table.tsx';
import { type OrganizationSearch, organizationOptions, organizationTabs } from './queries.ts';
import { RecipeReleaseSetting } from './recipe-release-setting.tsx';
import { RenameOrganization } from './rename-organization.tsx';
import { WorkspacesTable } from './workspaces-table.tsx';

type Tab = (typeof organizationTabs)[number];

interface OrganizationPageProps {
  organizationId: string;
  /** email of the signed-in user */
  userEmail: string;
  tab: Tab;
  onTab: (tab: Tab) => void;
  search: OrganizationSearch;
  onSearch: (search: OrganizationSearch) => void;
}

const plural = (count: number, one: string, many: string) =>
  `${formatCount(count)} ${count === 1 ? one : many}`;

export function OrganizationPage({
  organizationId,
  userEmail,
  tab,
  onTab,
  search,
  onSearch,
}: OrganizationPageProps) {
  const organization = useQuery(organizationOptions(organizationId));
  if (organization.isError) return <ProblemPage query={organization} />;
  const { data } = organization;
  const isManager = data?.isManager ?? false;
  return (
    <Box p="md" style={{ overflow: 'auto' }}>
      <Stack gap="md">
        <PageHeader
          title={data?.name ?? 'Organization'}
          actions={
            data && (
              <RenameOrganization organizationId={organizationId} name={data.name} isManager={isManager} />
            )
          }
          aside={
            data &&
            `${plural(data.projectCount, 'project', 'projects')} · ${formatBytes(data.storageBytes)} stored`
          }
        />
        {data !== undefined && !isManager && (
          <Text c="dimmed">
            You can see this page because you are a member; a manager can change things here.
          </Text>
        )}
        <Tabs
          value={tab}
          onChange={(value) => {
            const chosen = organizationTabs.find((each) => each === value);
            if (chosen !== undefined) onTab(chosen);
          }}
          keepMounted={false}
        >
          <Tabs.List>
            <Tabs.Tab value="members">Members{data && ` (${formatCount(data.memberCount)})`}</Tabs.Tab>
            <Tabs.Tab value="workspaces">
              Workspaces{data && ` (${formatCount(data.workspaceCount)})`}
            </Tabs.Tab>
            <Tabs.Tab value="modules">Analysis modules</Tabs.Tab>
            <Tabs.Tab value="recipes">Recipes</Tabs.Tab>
            <Tabs.Tab value="audit">Audit log</Tabs.Tab>
          </Tabs.List>
          <Tabs.Panel value="members" pt="md">
            <MembersTable
              organizationId={organizationId}
              isManager={isManager}
              userEmail={userEmail}
              search={search.search}
              onSearch={(words) => onSearch({ search: words })}
            />
          </Tabs.Panel>
          <Tabs.Panel value="workspaces" pt="md">
            <WorkspacesTable
              organizationId={organizationId}
              isManager={isManager}
              search={search.search}
              onSearch={(words) => onSearch({ search: words })}
            />
          </Tabs.Panel>
          <Tabs.Panel value="modules" pt="md">
            <ModulesTable organizationId={organizationId} isManager={isManager} />
          </Tabs.Panel>
          <Tabs.Panel value="recipes" pt="md">
            {data && <RecipeReleaseSetting organization={data} />}
          </Tabs.Panel>
          <Tabs.Panel value="audit" pt="md">
            {isManager ? (
              <AuditLog organizationId={organizationId} search={search} onSearch={onSearch} />
            ) : (
              <EmptyState title="Only managers read the audit log">
                It shows who did what in this organization. Ask a manager to look something up, or to make you
                one.
              </EmptyState>
            )}
          </Tabs.Panel>
        </Tabs>
      </Stack>
    </Box>
  );
}
