// Before all that might ask for the language while it is loaded.
import './ui/known-language.ts';
import '@fontsource-variable/inter';
// In a layer, so that our own rules win in whatever order the parts of the page arrive.
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

// A problem that the service told is shown where it happened; only what nobody expected goes to the console.
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

// Who only signs in waits for nothing else. Not awaited: the dashboard imports from this file's chunk, which would
// then wait for itself.
if (isDoorPage(page)) render(<Door page={page} />);
else {
  requestEventsAhead();
  void import('./app.tsx').then(({ App }) => render(<App />));
}
