import { createFileRoute, Outlet } from '@tanstack/react-router';

export const Route = createFileRoute('/_app/account')({
  component: Outlet,
  staticData: { crumb: 'Account' },
});
