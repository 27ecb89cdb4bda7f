import { notifications } from '@mantine/notifications';
import { explain } from './errors.ts';

/** Shows a notification with what failed and why. */
export function notifyFailure(error: unknown): void {
  const { title, detail } = explain(error);
  notifications.show({ color: 'danger', title, message: detail, autoClose: 12_000 });
}
