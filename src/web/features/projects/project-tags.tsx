import { ActionIcon, Button, Group, Pill, Popover, Stack, TagsInput, Tooltip } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { useState } from 'react';
import { reasonEvents } from '#web/ui/action-button.tsx';
import classes from './project-header.module.css';

interface ProjectTagsProps {
  tags: readonly string[];
  reason: string | null;
  onChange: (tags: string[]) => void;
}

/** The tags, and a small field to edit them. */
export function ProjectTags({ tags, reason, onChange }: ProjectTagsProps) {
  const [draft, setDraft] = useState<string[] | null>(null);
  const save = () => {
    if (draft && draft.join('\n') !== tags.join('\n')) onChange(draft);
    setDraft(null);
  };
  return (
    <Group gap={4} wrap="nowrap" miw={0}>
      <Group gap={4} miw={0} className={classes.tags}>
        {tags.slice(0, 4).map((tag) => (
          <Pill key={tag} size="sm">
            {tag}
          </Pill>
        ))}
        {tags.length > 4 && (
          <Tooltip label={tags.slice(4).join(', ')}>
            <Pill size="sm">+{tags.length - 4}</Pill>
          </Tooltip>
        )}
      </Group>
      <Popover opened={draft !== null} onChange={(open) => !open && setDraft(null)} trapFocus withinPortal>
        <Popover.Target>
          <Tooltip label={reason ?? 'Edit tags'} events={reasonEvents}>
            <ActionIcon
              size="sm"
              flex="none"
              aria-label="Edit tags"
              aria-disabled={reason !== null || undefined}
              aria-description={reason ?? undefined}
              data-disabled={reason !== null || undefined}
              onClick={() => reason === null && setDraft(draft === null ? [...tags] : null)}
            >
              <IconTag size={14} aria-hidden />
            </ActionIcon>
          </Tooltip>
        </Popover.Target>
        <Popover.Dropdown aria-label="Tags of the project">
          <Stack gap="xs" w={320}>
            <TagsInput
              label="Tags"
              description="Enter after each"
              value={draft ?? []}
              onChange={setDraft}
              maxTags={100}
              clearable
              dropdownOpened={false}
            />
            <Group justify="flex-end" gap="xs">
              <Button variant="default" onClick={() => setDraft(null)}>
                Cancel
              </Button>
              <Button data-sends onClick={save}>
                Save tags
              </Button>
            </Group>
          </Stack>
        </Popover.Dropdown>
      </Popover>
    </Group>
  );
}
