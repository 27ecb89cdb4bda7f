import { Center } from '@mantine/core';
import { createFileRoute, useLocation, useRouter } from '@tanstack/react-router';
import { InvitationForm } from '../features/session/invitation-form.tsx';

export const Route = createFileRoute('/invitation')({
  component: InvitationRoute,
  staticData: { crumb: 'Invitation' },
});

function InvitationRoute() {
  const token = useLocation({ select: ({ hash }) => hash });
  const router = useRouter();
  return (
    <Center component="main" mih="100dvh" p="md">
      <title>Invitation · Scanwright</title>
      <InvitationForm token={token} onJoined={() => router.history.replace('/projects')} />
    </Center>
  );
}
