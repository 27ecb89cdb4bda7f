import { keepPreviousData, useMutation, useQueryClient } from '@tanstack/react-query';
import { z } from 'zod';
import { PageQuery } from '#contract/shapes/page.ts';
import {
  listNotificationsOptions,
  markNotificationsReadMutation,
} from '../../api/generated/@tanstack/react-query.gen.ts';

export const notificationPageSizes = [25, 50, 100] as const;

/** State of the page that stands in its address. */
export const NotificationSearch = z.object({
  page: PageQuery.shape.page.unwrap().optional().catch(undefined),
  size: z
    .literal([...notificationPageSizes])
    .optional()
    .catch(undefined),
  /** only those that are not read yet */
  unread: z.literal(true).optional().catch(undefined),
});
export type NotificationSearch = z.infer<typeof NotificationSearch>;

/** The newest first. */
export const notificationPageOptions = ({ page = 1, size = 50, unread }: NotificationSearch) => ({
  ...listNotificationsOptions({ query: { page, page_size: size, unread } }),
  placeholderData: keepPreviousData,
});

export const newestNotificationsOptions = () => listNotificationsOptions({ query: { page_size: 30 } });
/** Of which only the number is looked at. */
export const unreadOptions = () => listNotificationsOptions({ query: { unread: true, page_size: 1 } });

export function useMarkRead() {
  const queryClient = useQueryClient();
  return useMutation({
    ...markNotificationsReadMutation(),
    onSettled: () => queryClient.invalidateQueries({ queryKey: [{ _id: 'listNotifications' }] }),
  });
}
