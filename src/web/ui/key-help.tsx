import { Group, Kbd, Modal, Stack, Text, Title } from '@mantine/core';
import type { KeyHint } from './commands.ts';

const names: Record<string, string> = { Escape: 'Esc', ' ': 'Space' };

/** Renders `g p` as two keys. */
export function Keys({ keys }: { keys: string }) {
  return (
    <Group gap={4} wrap="nowrap">
      {keys.split(' ').map((key) => (
        <Kbd key={key} size="xs">
          {names[key] ?? key}
        </Kbd>
      ))}
    </Group>
  );
}

interface HelpEntry {
  keys: string;
  label: string;
  group?: string;
  /** keys and gestures as text */
  isHint?: boolean;
}

interface KeyHelpProps {
  commands: HelpEntry[] | null;
  hints: readonly KeyHint[];
  onClose: () => void;
}

/** The list of all keys of the open page. */
export function KeyHelp({ commands, hints, onClose }: KeyHelpProps) {
  const always: HelpEntry[] = [
    { keys: 'Ctrl+K', label: 'Search pages, projects and actions' },
    { keys: '?', label: 'Show shortcuts' },
    { keys: 'Ctrl+Z', label: 'Undo the last change' },
    { keys: 'Ctrl+Shift+Z', label: 'Repeat what was undone' },
    { keys: 'Ctrl+Enter', label: 'Send the form, confirm the dialog' },
    { keys: 'Escape', label: 'Close a dialog, leave a field' },
  ];
  const hinted = hints.map((hint) => ({ ...hint, isHint: true }));
  const groups = Map.groupBy(
    [...always, ...(commands ?? []), ...hinted],
    ({ group }) => group ?? 'Everywhere',
  );
  return (
    <Modal opened={commands !== null} onClose={onClose} title="Shortcuts" size="sm">
      <Stack gap="md">
        {[...groups].map(([group, items]) => (
          <Stack key={group} gap={6}>
            <Title order={3}>{group}</Title>
            {items.map(({ keys, label, isHint }) => (
              <Group key={keys} justify="space-between" wrap="nowrap">
                <Text size="md">{label}</Text>
                {isHint ? <Text c="dimmed">{keys}</Text> : <Keys keys={keys} />}
              </Group>
            ))}
          </Stack>
        ))}
      </Stack>
    </Modal>
  );
}
