import { keepPreviousData, useMutation } from '@tanstack/react-query';
import { z } from 'zod';
import {
  listNotificationsOptions,
  markNotificationsReadMutation,
} from '#web/api/generated/@tanstack/react-query.gen.ts';
import { useRefresh } from '#web/api/refresh.ts';
import { listSearch, pageQuery } from '#web/ui/list-page.tsx';

/** State of the page stored in its address. */
export const NotificationSearch = listSearch({
  unread: z.literal(true).optional().catch(undefined),
});
export type NotificationSearch = z.infer<typeof NotificationSearch>;

/** Newest first. */
export const notificationPageOptions = (search: NotificationSearch) => ({
  ...listNotificationsOptions({ query: { ...pageQuery(search), unread: search.unread } }),
  placeholderData: keepPreviousData,
});

export const newestNotificationsOptions = () => listNotificationsOptions({ query: { page_size: 30 } });
/** Only the count is used. */
export const unreadOptions = () => listNotificationsOptions({ query: { unread: true, page_size: 1 } });

export const useMarkRead = () =>
  useMutation({ ...markNotificationsReadMutation(), onSettled: useRefresh('listNotifications') });
