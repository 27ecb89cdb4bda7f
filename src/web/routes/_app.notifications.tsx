import { createFileRoute } from '@tanstack/react-router';
import { NotificationsPage } from '#web/features/notifications/notifications-page.tsx';
import { NotificationSearch, notificationPageOptions } from '#web/features/notifications/queries.ts';

export const Route = createFileRoute('/_app/notifications')({
  validateSearch: NotificationSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(notificationPageOptions(deps)),
  component: NotificationsRoute,
  staticData: { crumb: 'Notifications' },
});

function NotificationsRoute() {
  const navigate = Route.useNavigate();
  return <NotificationsPage search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />;
}
