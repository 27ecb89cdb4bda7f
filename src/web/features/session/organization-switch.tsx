import { Menu, Text, UnstyledButton } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconCheck, IconPlus, IconSelector } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import { useCommands } from '#web/ui/commands.ts';
import { CreateOrganization } from './create-organization.tsx';
import classes from './organization-switch.module.css';
import { type MyOrganization, rememberOrganization } from './organizations.ts';

interface OrganizationSwitchProps {
  organizations: MyOrganization[];
  shown: MyOrganization;
  collapsed: boolean;
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0))
    .join('')
    .toUpperCase();

/** The open organization, with a menu of the others. */
export function OrganizationSwitch({ organizations, shown, collapsed }: OrganizationSwitchProps) {
  const navigate = useNavigate();
  const [creating, { open, close }] = useDisclosure(false);
  const mark = (
    <span className={classes.mark} aria-hidden>
      {initials(shown.name)}
    </span>
  );
  const name = !collapsed && (
    <Text span size="md" fw={600} truncate style={{ flex: 1, textAlign: 'left' }}>
      {shown.name}
    </Text>
  );
  const choose = (id: string) => {
    rememberOrganization(id);
    navigate({ to: '/projects', search: { organization: id } });
  };
  useCommands(
    organizations
      .filter(({ id }) => id !== shown.id)
      .map(({ id, name: other }) => ({ label: `Switch to ${other}`, run: () => choose(id) })),
  );
  return (
    <>
      <CreateOrganization opened={creating} onClose={close} />
      <Menu position="bottom-start" width={240}>
        <Menu.Target>
          <UnstyledButton
            className={classes.switch}
            aria-label={`Organization ${shown.name}, change`}
            data-button
          >
            {mark}
            {name}
            {!collapsed && <IconSelector size={14} aria-hidden />}
          </UnstyledButton>
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>Organizations</Menu.Label>
          {organizations.map((organization) => (
            <Menu.Item
              key={organization.id}
              onClick={() => choose(organization.id)}
              rightSection={organization.id === shown.id && <IconCheck size={14} aria-label="open" />}
            >
              {organization.name}
            </Menu.Item>
          ))}
          <Menu.Divider />
          <Menu.Item leftSection={<IconPlus size={14} aria-hidden />} onClick={open}>
            New organization…
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
    </>
  );
}
