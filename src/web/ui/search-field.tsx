import { TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

/** The search text in the address: always text, even if it looks like a number. */
export const searchWords = (value: unknown): string | undefined =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value).trim().slice(0, 200) || undefined
    : undefined;

interface SearchFieldProps {
  /** what is searched, for screen readers: `Search bookmarks` */
  label: string;
  placeholder: string;
  /** the value in the address */
  value: string | undefined;
  /** called once the user pauses typing */
  onValue: (value: string | undefined) => void;
}

/** Filters a list by the typed text. */
export function SearchField({ label, placeholder, value, onValue }: SearchFieldProps) {
  const [text, setText] = useState(value ?? '');
  const report = useDebouncedCallback((typed: string) => onValue(typed.trim() || undefined), 250);
  useEffect(() => setText((typed) => (typed.trim() === (value ?? '') ? typed : (value ?? ''))), [value]);
  return (
    <TextInput
      size="xs"
      w={260}
      aria-label={label}
      placeholder={placeholder}
      leftSection={<IconSearch size={14} aria-hidden />}
      value={text}
      onChange={(event) => {
        setText(event.currentTarget.value);
        report(event.currentTarget.value);
      }}
    />
  );
}

/** Whether one of the texts contains all of the words, ignoring case. */
export function holdsWords(
  texts: readonly (string | null | undefined)[],
  search: string | undefined,
): boolean {
  const words = (search ?? '')
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const text = texts
    .map((each) => each ?? '')
    .join('\n')
    .toLowerCase();
  return words.every((word) => text.includes(word));
}
