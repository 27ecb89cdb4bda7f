import { createFileRoute, Outlet } from '@tanstack/react-router';

export const Route = createFileRoute('/_app/bulk')({
  component: Outlet,
  staticData: { crumb: 'Bulk requests' },
});
