import '@mantine/notifications/styles.layer.css';
import '@mantine/spotlight/styles.layer.css';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { createQueryClient } from './api/query-client.ts';
import { createAppRouter } from './router.tsx';
import { CommandProvider } from './ui/command-provider.tsx';
import { useUndoByKeys } from './ui/undo-toast.tsx';
import { useFocusHome } from './ui/use-focus-home.ts';
import { useSendByKeys } from './ui/use-send-by-keys.ts';

const queryClient = createQueryClient();
const router = createAppRouter(queryClient);

/** The dashboard of a signed-in user. */
export function App() {
  useSendByKeys();
  useUndoByKeys();
  useFocusHome();
  return (
    <QueryClientProvider client={queryClient}>
      <CommandProvider>
        <ModalsProvider>
          <Notifications position="bottom-right" limit={4} />
          <RouterProvider router={router} />
        </ModalsProvider>
      </CommandProvider>
    </QueryClientProvider>
  );
}
