import { Group, Text, TextInput, Title, Tooltip, UnstyledButton } from '@mantine/core';
import { IconPencil } from '@tabler/icons-react';
import { type FormEvent, type KeyboardEvent, useRef, useState } from 'react';
import classes from './project-header.module.css';

interface InlineNameProps {
  name: string;
  /** why the project can't be renamed; null = it can */
  reason: string | null;
  onRename: (name: string) => void;
}

/** The name as page title; clicking it opens a field. Enter saves, Escape cancels. */
export function InlineName({ name, reason, onRename }: InlineNameProps) {
  const [typed, setTyped] = useState<string | null>(null);
  /** whether typing was ended by a key: the focus then returns to the title */
  const endedByKey = useRef(false);
  const problem = typed !== null && typed.trim() === '' ? 'A project needs a name' : null;

  if (typed === null || reason !== null) {
    return (
      <Tooltip label={reason === null ? `Rename “${name}”` : `${name} (${reason})`} multiline maw={480}>
        <Group gap={6} wrap="nowrap" className={classes.nameSlot}>
          <Title order={1} className={classes.title}>
            {reason === null ? (
              <UnstyledButton
                className={classes.name}
                autoFocus={endedByKey.current}
                onClick={() => {
                  endedByKey.current = false;
                  setTyped(name);
                }}
                aria-description="Rename"
              >
                <Text span inherit truncate>
                  {name}
                </Text>
                <IconPencil size={14} className={classes.pencil} aria-hidden />
              </UnstyledButton>
            ) : (
              name
            )}
          </Title>
        </Group>
      </Tooltip>
    );
  }
  const keep = () => {
    if (problem !== null) return;
    setTyped(null);
    if (typed.trim() !== name) onRename(typed.trim());
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    endedByKey.current = true;
    keep();
  };
  const leave = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    endedByKey.current = true;
    setTyped(null);
  };
  return (
    <form onSubmit={submit}>
      <TextInput
        aria-label="Name of the project"
        value={typed}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onBlur={keep}
        onKeyDown={leave}
        error={problem}
        maxLength={200}
        w={360}
        maw="100%"
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
      />
    </form>
  );
}
