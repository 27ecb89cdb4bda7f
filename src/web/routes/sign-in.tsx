import { Center } from '@mantine/core';
import { createFileRoute, useRouter } from '@tanstack/react-router';
import { z } from 'zod';
import { SignInForm } from '../features/session/sign-in-form.tsx';

/** `to`: the page that was wanted, only within this site. */
const SignInSearch = z.object({
  to: z
    .string()
    .regex(/^\/(?![/\\])/)
    .optional()
    .catch(undefined),
  ended: z.boolean().optional().catch(undefined),
});

export const Route = createFileRoute('/sign-in')({
  validateSearch: SignInSearch,
  component: SignInRoute,
  staticData: { crumb: 'Sign in' },
});

function SignInRoute() {
  const { to = '/projects', ended = false } = Route.useSearch();
  const router = useRouter();
  return (
    <Center component="main" mih="100dvh" p="md">
      <title>Sign in · Scanwright</title>
      <SignInForm hasEnded={ended} onSignedIn={() => router.history.replace(to)} />
    </Center>
  );
}
