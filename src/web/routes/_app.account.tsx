import { useSuspenseQuery } from '@tanstack/react-query';
import { createFileRoute } from '@tanstack/react-router';
import { readMeOptions } from '../api/generated/@tanstack/react-query.gen.ts';
import { AccountPage } from '../features/account/account-page.tsx';

export const Route = createFileRoute('/_app/account')({
  component: AccountRoute,
  staticData: { crumb: 'Account' },
});

function AccountRoute() {
  const { data: me } = useSuspenseQuery(readMeOptions());
  return <AccountPage me={me} />;
}
