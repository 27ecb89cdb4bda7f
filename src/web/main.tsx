// Before all that might ask for the language while it is loaded.
import './ui/known-language.ts';
import '@fontsource-variable/inter';
// In a layer, so that our own rules win in whatever order the parts of the page arrive.
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import '@mantine/spotlight/styles.layer.css';
import './global.css';
import './api/client.ts';
import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ServiceError } from './api/errors.ts';
import { createQueryClient } from './api/query-client.ts';
import { createAppRouter } from './router.tsx';
import { cssVariables, theme } from './theme.ts';
import { KeyboardProvider } from './ui/keyboard.tsx';

const queryClient = createQueryClient();
const router = createAppRouter(queryClient);
const root = document.getElementById('root');
if (root === null) throw new Error('index.html has no element with the id "root"');

// A problem that the service told is shown where it happened; only what nobody expected goes to the console.
const onCaughtError = (error: unknown) => {
  if (!(error instanceof ServiceError)) console.error(error);
};

createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
      <QueryClientProvider client={queryClient}>
        <KeyboardProvider>
          <ModalsProvider>
            <Notifications position="bottom-right" limit={4} />
            <RouterProvider router={router} />
          </ModalsProvider>
        </KeyboardProvider>
      </QueryClientProvider>
    </MantineProvider>
  </StrictMode>,
);
