import { Button, Group, Modal, TagsInput } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { BulkTags } from '#contract/shapes/bulk-request.ts';
import { Form, noMutation } from '#web/ui/form.tsx';
import { BulkPreview, type BulkProposal, whyWait } from './bulk-preview.tsx';

export interface TagsQuestion {
  what: 'add' | 'remove';
  subject: string;
  suggestions: string[];
  /** for several projects: preview of the effect */
  preview?: BulkProposal | null;
}

interface TagsDialogProps {
  question: TagsQuestion | null;
  onChoose: (tags: string[]) => void;
  onClose: () => void;
}

const shownSuggestions = 16;

const Tags = BulkTags.pick({ tags: true });

function TagsForm({ question, onChoose, onClose }: TagsDialogProps & { question: TagsQuestion }) {
  return (
    <Form
      initial={{ tags: [] as string[] }}
      schema={Tags}
      words={{ tags: 'Type at least one tag' }}
      mutation={noMutation}
      onSubmit={({ tags }) => onChoose(tags)}
      submitLabel={question.what === 'add' ? 'Add tags' : 'Remove tags'}
      reason={whyWait(question.preview)}
      onCancel={onClose}
    >
      {({ values: { tags }, getInputProps, setFieldValue }) => {
        // Listed below the field; a dropdown would cover the buttons.
        const offered = question.suggestions.filter((tag) => !tags.includes(tag)).slice(0, shownSuggestions);
        return (
          <>
            <TagsInput
              label="Tags"
              placeholder={tags.length === 0 ? 'Type and press Enter' : undefined}
              maxLength={64}
              acceptValueOnBlur
              // Without a dropdown, which Escape would have to close before the dialog.
              dropdownOpened={false}
              data-autofocus
              {...getInputProps('tags')}
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
                    onClick={() => setFieldValue('tags', [...tags, tag])}
                  >
                    {tag}
                  </Button>
                ))}
              </Group>
            )}
            {question.preview && <BulkPreview proposal={question.preview} />}
          </>
        );
      }}
    </Form>
  );
}

/** Asks which tags to add to or remove from the selected projects. */
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
