// First, because other modules read the language while they load.
import './ui/known-language.ts';
import '@fontsource-variable/inter';
// In a cascade layer, so that our rules win in whatever order the styles arrive.
import '@mantine/core/styles.layer.css';
import './global.css';
import './api/client.ts';
import { MantineProvider } from '@mantine/core';
import { type ReactNode, StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { explain, ServiceError } from './api/errors.ts';
import { requestEventsAhead } from './api/events-request.ts';
import { Door } from './door.tsx';
import { isDoorPage } from './door-pages.ts';
import { cssVariables, theme } from './theme.ts';
import { ExplainContext } from './ui/problem-alert.tsx';

const root = document.getElementById('root');

// Errors from the service are shown where they happened; only unexpected errors are logged to the console.
const onCaughtError = (error: unknown) => {
  if (!(error instanceof ServiceError)) console.error(error);
};

const { pathname } = window.location;
const page = pathname.replace(/(.)\/$/, '$1');

function render(content: ReactNode): void {
  if (root === null) throw new Error('index.html has no element with the id "root"');
  createRoot(root, { onCaughtError }).render(
    <StrictMode>
      <MantineProvider theme={theme} cssVariablesResolver={cssVariables} defaultColorScheme="auto">
        <ExplainContext value={explain}>{content}</ExplainContext>
      </MantineProvider>
    </StrictMode>,
  );
}

// The sign-in page waits for nothing else. The import is not awaited: the dashboard imports from this file's chunk,
// which would then wait for itself.
if (isDoorPage(page)) render(<Door page={page} />);
else {
  requestEventsAhead();
  void import('./app.tsx').then(({ App }) => render(<App />));
}
