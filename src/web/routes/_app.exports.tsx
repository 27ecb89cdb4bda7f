import { createFileRoute, Outlet } from '@tanstack/react-router';

export const Route = createFileRoute('/_app/exports')({
  component: Outlet,
  staticData: { crumb: 'Exports' },
});
