import { Button, Center, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { useSignOut } from './account-menu.tsx';
import { CreateOrganization } from './create-organization.tsx';

/** Page of an account that belongs to no organization. */
export function NoOrganization({ email }: { email: string }) {
  const { signOut, isPending } = useSignOut();
  const [creating, { open, close }] = useDisclosure(false);
  return (
    <Center component="main" mih="100dvh">
      <CreateOrganization opened={creating} onClose={close} />
      <EmptyState
        title="You are not a member of an organization"
        action={
          <Group gap="xs" justify="center">
            <Button onClick={open}>Create an organization</Button>
            <Button variant="default" onClick={signOut} loading={isPending}>
              Sign out
            </Button>
          </Group>
        }
      >
        Ask a manager to invite {email} and open the link of the invitation, or create an organization of your
        own.
      </EmptyState>
    </Center>
  );
}
