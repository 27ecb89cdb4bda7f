import { useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute } from '@tanstack/react-router';
import { readMeOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { OrganizationPage } from '#web/features/organizations/organization-page.tsx';
import { OrganizationSearch } from '#web/features/organizations/queries.ts';
import { openOrganization } from '#web/features/session/organizations.ts';

export const Route = createFileRoute('/_app/organization')({
  validateSearch: OrganizationSearch,
  component: OrganizationRoute,
  staticData: { crumb: 'Organization' },
});

function OrganizationRoute() {
  const { tab = 'members', organization: id, ...search } = Route.useSearch();
  const navigate = Route.useNavigate();
  const { data: me } = useSuspenseQuery(readMeOptions());
  const organization = openOrganization(me, id);
  if (organization === null) return null;
  return (
    <OrganizationPage
      organizationId={organization.id}
      userEmail={me.user.email}
      tab={tab}
      search={search}
      onSearch={(next) => void navigate({ search: { tab: tab === 'members' ? undefined : tab, ...next } })}
      onTab={(next) => void navigate({ search: { tab: next === 'members' ? undefined : next } })}
    />
  );
}
