import { Button, Group, Modal, Stack, TagsInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import { BulkPreview, type BulkProposal } from './bulk-preview.tsx';

export interface TagsQuestion {
  what: 'add' | 'remove';
  subject: string;
  suggestions: string[];
  /** for many: says what will happen to how many */
  preview?: BulkProposal | null;
}

interface TagsDialogProps {
  question: TagsQuestion | null;
  onChoose: (tags: string[]) => void;
  onClose: () => void;
}

const shownSuggestions = 16;

function TagsForm({ question, onChoose, onClose }: TagsDialogProps & { question: TagsQuestion }) {
  const [tags, setTags] = useState<string[]>([]);
  // Under the field, not in a list that would lie over the buttons.
  const offered = question.suggestions.filter((tag) => !tags.includes(tag)).slice(0, shownSuggestions);
  const canStart = tags.length > 0 && question.preview?.projectIds !== null;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canStart) onChoose(tags);
  };
  return (
    <form onSubmit={submit}>
      <Stack gap="sm">
        <TagsInput
          label="Tags"
          placeholder={tags.length === 0 ? 'Type and press Enter' : undefined}
          value={tags}
          onChange={setTags}
          maxLength={64}
          acceptValueOnBlur
          data-autofocus
        />
        {offered.length > 0 && (
          <Group gap={6} aria-label="Tags in use" role="group">
            {offered.map((tag) => (
              <Button
                key={tag}
                variant="default"
                size="compact-xs"
                fw={400}
                leftSection={<IconPlus size={11} aria-hidden />}
                onClick={() => setTags([...tags, tag])}
              >
                {tag}
              </Button>
            ))}
          </Group>
        )}
        {question.preview && <BulkPreview proposal={question.preview} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" disabled={!canStart}>
            {question.what === 'add' ? 'Add tags' : 'Remove tags'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Asks which tags to add to or take from what is selected. */
export function TagsDialog(props: TagsDialogProps) {
  const { question, onClose } = props;
  return (
    <Modal
      opened={question !== null}
      onClose={onClose}
      title={
        question === null
          ? ''
          : question.what === 'add'
            ? `Add tags to ${question.subject}`
            : `Remove tags from ${question.subject}`
      }
    >
      {question !== null && <TagsForm {...props} question={question} />}
    </Modal>
  );
}
