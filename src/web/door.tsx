import { Center } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { type ReactNode, useEffect } from 'react';
import { createQueryClient } from './api/query-client.ts';
import { type DoorPage, readSignInAddress } from './door-pages.ts';
import { InvitationForm } from './features/session/invitation-form.tsx';
import { ForgotPasswordForm, ResetPasswordForm } from './features/session/reset-password-form.tsx';
import { SignInForm } from './features/session/sign-in-form.tsx';

const queryClient = createQueryClient();
/** Replaces this page with another one. */
const open = (address: string) => window.location.replace(address);

function SignIn() {
  const { to, hasEnded } = readSignInAddress(window.location.search);
  return <SignInForm hasEnded={hasEnded} onSignedIn={() => open(to)} />;
}

/** Links carry their secret behind #, which browsers send to no server. */
const secret = () => window.location.hash.slice(1);

const pages: Record<DoorPage, { title: string; render: () => ReactNode }> = {
  '/sign-in': { title: 'Sign in', render: () => <SignIn /> },
  '/invitation': {
    title: 'Invitation',
    render: () => <InvitationForm token={secret()} onJoined={() => open('/projects')} />,
  },
  '/reset-password': {
    title: 'Reset password',
    render: () => (secret() === '' ? <ForgotPasswordForm /> : <ResetPasswordForm token={secret()} />),
  },
};

/** The page for a user who is not signed in. */
export function Door({ page }: { page: DoorPage }) {
  const { title, render } = pages[page];
  useEffect(() => {
    // Another link of the same kind opened in this tab changes only the part behind #.
    const reload = () => window.location.reload();
    window.addEventListener('hashchange', reload);
    return () => window.removeEventListener('hashchange', reload);
  }, []);
  return (
    <QueryClientProvider client={queryClient}>
      <Center component="main" mih="100dvh" p="md">
        <title>{`${title} · Scanwright`}</title>
        {render()}
      </Center>
    </QueryClientProvider>
  );
}
