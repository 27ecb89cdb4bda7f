import { notifications } from '@mantine/notifications';
import { explain } from '#web/api/errors.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import { fileAddress } from './queries.ts';

/** Requests a fresh address of the file and starts the browser's download. */
export async function downloadFile(dataObjectId: string, fileName: string): Promise<void> {
  try {
    const { url } = await fileAddress(dataObjectId, fileName);
    const link = document.createElement('a');
    link.href = resolveAddress(url);
    link.download = fileName;
    document.body.append(link);
    link.click();
    link.remove();
  } catch (error) {
    const { title, detail } = explain(error);
    notifications.show({ color: 'danger', title: `${fileName}: ${title}`, message: detail });
  }
}
