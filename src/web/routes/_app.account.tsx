import { useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute } from '@tanstack/react-router';
import { readMeOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { AccountPage } from '#web/features/account/account-page.tsx';
import { AccountSearch } from '#web/features/account/account-search.ts';

export const Route = createFileRoute('/_app/account')({
  validateSearch: AccountSearch,
  component: AccountRoute,
  staticData: { crumb: 'Account' },
});

function AccountRoute() {
  const { data: me } = useSuspenseQuery(readMeOptions());
  const navigate = Route.useNavigate();
  return (
    <AccountPage
      me={me}
      search={Route.useSearch()}
      onSearch={(search) => void navigate({ search, replace: true, resetScroll: false })}
    />
  );
}
