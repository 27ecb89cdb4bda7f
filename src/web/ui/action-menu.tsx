import { Menu, Text } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { useCommands } from './commands.ts';

export interface MenuAction {
  label: string;
  /** what it is called where nothing says of what it is; without it only the menu offers it */
  command?: string;
  icon?: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  color?: string;
  /** why it can't be done now; null = it can */
  reason?: string | null;
  /** what it is for */
  note?: string;
  run: () => void;
}

interface ActionMenuProps {
  /** the button that opens it */
  children: ReactNode;
  actions: MenuAction[];
  width?: number;
}

/** What has no room on either side of its button is scrolled to. */
const asHighAsTheScreen = { flip: true, shift: true, size: { padding: 8 } };

/** What can be done with something, in a menu and, as commands, in the palette; what can't be done says why. */
export function ActionMenu({ children, actions, width }: ActionMenuProps) {
  useCommands(
    actions.flatMap(({ command, reason, run }) =>
      command === undefined ? [] : [{ label: command, reason, run }],
    ),
  );
  return (
    <Menu position="bottom-end" width={width} middlewares={asHighAsTheScreen}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown style={{ overflowY: 'auto' }}>
        {actions.map(({ label, icon: Icon, color, reason = null, note, run }) => (
          <Menu.Item
            key={label}
            leftSection={Icon && <Icon size={15} aria-hidden />}
            // As a colour of Mantine it would be too dark to be read in the dark theme.
            c={reason === null ? color : undefined}
            disabled={reason !== null}
            onClick={run}
          >
            {label}
            {(reason ?? note) !== undefined && (
              <Text size="xs" maw={260}>
                {reason ?? note}
              </Text>
            )}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
