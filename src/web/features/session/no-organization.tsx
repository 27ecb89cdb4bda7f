import { Button, Center } from '@mantine/core';
import { EmptyState } from '../../ui/empty-state.tsx';
import { useSignOut } from './account-menu.tsx';

/** For an account that no organization has taken in. */
export function NoOrganization({ email }: { email: string }) {
  const { signOut, isPending } = useSignOut();
  return (
    <Center component="main" mih="100dvh">
      <EmptyState
        title="You are not a member of an organization"
        action={
          <Button variant="default" onClick={signOut} loading={isPending}>
            Sign out
          </Button>
        }
      >
        Ask a manager to add {email} as a member; this page shows the organization's projects then.
      </EmptyState>
    </Center>
  );
}
