import { Menu, Text } from '@mantine/core';
import { IconLogout, IconUserCircle } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Me } from '#contract/shapes/session.ts';
import { logoutMutation } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { sessionToken } from '#web/api/session-token.ts';
import { RailButton } from '#web/ui/frame/app-frame.tsx';

/** Revokes the token on the service; the browser forgets it even if the service does not respond. */
export function useSignOut() {
  const { mutate, isPending } = useMutation({
    ...logoutMutation(),
    onSettled: () => sessionToken.clear('signed out'),
  });
  return { signOut: () => mutate({}), isPending };
}

export function AccountMenu({ user }: { user: Me['user'] }) {
  const { signOut, isPending } = useSignOut();
  const name = user.name || user.email;
  return (
    <Menu position="right-end" width={230}>
      <Menu.Target>
        <RailButton icon={IconUserCircle} label={name} />
      </Menu.Target>
      <Menu.Dropdown>
        <Text size="sm" c="dimmed" px="sm" py={4} truncate>
          {user.email}
        </Text>
        <Menu.Item component={Link} to="/account">
          Account and appearance
        </Menu.Item>
        <Menu.Divider />
        <Menu.Item
          leftSection={<IconLogout size={15} aria-hidden />}
          onClick={signOut}
          disabled={isPending}
          closeMenuOnClick={false}
        >
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
