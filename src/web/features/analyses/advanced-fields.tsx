import { Collapse, Group, Stack, Text, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useId } from 'react';

interface AdvancedFieldsProps {
  /** titles of the fields inside, listed while collapsed */
  titles: readonly string[];
  opened: boolean;
  onToggle: () => void;
  children: ReactNode;
}

/** Rarely needed fields, collapsed. */
export function AdvancedFields({ titles, opened, onToggle, children }: AdvancedFieldsProps) {
  const id = useId();
  if (titles.length === 0) return null;
  const Chevron = opened ? IconChevronDown : IconChevronRight;
  return (
    <>
      <UnstyledButton onClick={onToggle} aria-expanded={opened} aria-controls={id}>
        <Group gap={4}>
          <Chevron size={14} aria-hidden />
          <Text size="sm" fw={500}>
            Advanced
          </Text>
          {!opened && (
            <Text size="sm" c="dimmed">
              {titles.map((title) => title.toLowerCase()).join(', ')}
            </Text>
          )}
        </Group>
      </UnstyledButton>
      <Collapse expanded={opened} id={id}>
        <Stack gap="sm">{children}</Stack>
      </Collapse>
    </>
  );
}
