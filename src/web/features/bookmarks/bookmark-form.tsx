import { Textarea, TextInput } from '@mantine/core';
import { BookmarkUpdate } from '#contract/shapes/bookmark.ts';
import { Form } from '#web/ui/form.tsx';

const BookmarkWords = BookmarkUpdate.pick({ name: true, description: true });
export interface BookmarkWords {
  name: string;
  description: string;
}

interface BookmarkFormProps {
  /** accessible name of the form */
  label: string;
  words?: BookmarkWords;
  submitLabel: string;
  mutation: { error: unknown; isPending: boolean };
  onCancel: () => void;
  onSubmit: (words: BookmarkWords) => void;
}

export const BookmarkForm = ({ words = { name: '', description: '' }, ...rest }: BookmarkFormProps) => (
  <Form {...rest} initial={{ name: words.name, description: words.description }} schema={BookmarkWords}>
    {(form) => (
      <>
        <TextInput label="Name" required data-autofocus {...form.getInputProps('name')} />
        <Textarea label="Note" autosize minRows={2} maxRows={8} {...form.getInputProps('description')} />
      </>
    )}
  </Form>
);
