import { Text, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { z } from 'zod';
import type { AskFirstOptions } from './ask-first.tsx';
import { Form, noMutation } from './form.tsx';

interface ConfirmByNameOptions extends AskFirstOptions {
  /** the text to type */
  name: string;
}

const Typed = z.object({ typed: z.string() });

/** Asks the user to type a name before an action that can't be undone. */
export function confirmByName({
  title,
  children,
  name,
  confirmLabel,
  onConfirm,
}: ConfirmByNameOptions): void {
  const close = () => modals.close(id);
  const id = modals.open({
    title,
    children: (
      <Form
        initial={{ typed: '' }}
        schema={Typed}
        mutation={noMutation}
        reason={({ typed }) => (typed.trim() === name ? null : `Type “${name}” first`)}
        onSubmit={() => {
          close();
          onConfirm();
        }}
        submitLabel={confirmLabel}
        isDangerous
        onCancel={close}
      >
        {(form) => (
          <>
            <Text component="div">{children}</Text>
            <TextInput
              label={`Type “${name}” to continue`}
              autoComplete="off"
              data-autofocus
              {...form.getInputProps('typed')}
            />
          </>
        )}
      </Form>
    ),
  });
}
