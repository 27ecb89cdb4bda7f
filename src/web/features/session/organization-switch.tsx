import { Menu, Text, UnstyledButton } from '@mantine/core';
import { IconCheck, IconSelector } from '@tabler/icons-react';
import { useNavigate } from '@tanstack/react-router';
import classes from './organization-switch.module.css';
import { type MyOrganization, rememberOrganization } from './organizations.ts';

interface OrganizationSwitchProps {
  organizations: MyOrganization[];
  open: MyOrganization;
  collapsed: boolean;
}

const initials = (name: string): string =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word.charAt(0))
    .join('')
    .toUpperCase();

/** Which organization the page shows; a menu when there is a choice. */
export function OrganizationSwitch({ organizations, open, collapsed }: OrganizationSwitchProps) {
  const navigate = useNavigate();
  const mark = (
    <span className={classes.mark} aria-hidden>
      {initials(open.name)}
    </span>
  );
  const name = !collapsed && (
    <Text span size="md" fw={600} truncate style={{ flex: 1, textAlign: 'left' }}>
      {open.name}
    </Text>
  );
  if (organizations.length === 1)
    return (
      <div className={classes.switch} title={open.name}>
        {mark}
        {name}
      </div>
    );
  const choose = (id: string) => {
    rememberOrganization(id);
    navigate({ to: '/projects', search: { organization: id } });
  };
  return (
    <Menu position="bottom-start" width={240}>
      <Menu.Target>
        <UnstyledButton
          className={classes.switch}
          aria-label={`Organization ${open.name}, change`}
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
            rightSection={organization.id === open.id && <IconCheck size={14} aria-label="open" />}
          >
            {organization.name}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
