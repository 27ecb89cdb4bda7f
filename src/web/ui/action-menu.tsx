import { Menu, Text } from '@mantine/core';
import type { ComponentType, ReactNode } from 'react';
import { useCommands } from './commands.ts';

export interface MenuAction {
  label: string;
  /** its name in the palette, where the context is missing; without it only the menu offers the action */
  command?: string;
  icon?: ComponentType<{ size?: number; 'aria-hidden'?: boolean }>;
  color?: string;
  /** why the action is not available; null = it is */
  reason?: string | null;
  /** what the action is for */
  note?: string;
  run: () => void;
}

interface ActionMenuProps {
  /** the button that opens the menu */
  children: ReactNode;
  actions: MenuAction[];
  width?: number;
}

/** A menu that fits neither above nor below its button scrolls; its items can be reached by Tab for that reason, too. */
const asHighAsTheScreen = { flip: true, shift: true, size: { padding: 8 } };

/** Actions on an object, in a menu and, as commands, in the palette; a disabled action states the reason. */
export function ActionMenu({ children, actions, width }: ActionMenuProps) {
  useCommands(
    actions.flatMap(({ command, reason, run }) =>
      command === undefined ? [] : [{ label: command, reason, run }],
    ),
  );
  return (
    <Menu position="bottom-end" width={width} middlewares={asHighAsTheScreen} menuItemTabIndex={0}>
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown style={{ overflowY: 'auto' }}>
        {actions.map(({ label, icon: Icon, color, reason = null, note, run }) => (
          <Menu.Item
            key={label}
            leftSection={Icon && <Icon size={15} aria-hidden />}
            // Set as text colour: Mantine's own colour of the item is too dark for the dark theme.
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
