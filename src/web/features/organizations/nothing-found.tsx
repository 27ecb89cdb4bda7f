import { Button, Group, Text } from '@mantine/core';
import { formatCount } from '#contract/base/format-number.ts';

interface NothingFoundProps {
  search: string | undefined;
  /** `member` */
  what: string;
  onShowAll: () => void;
}

/** Above a list that what was typed leaves nothing of. */
export const NothingFound = ({ search, what, onShowAll }: NothingFoundProps) => (
  <Group gap="sm" role="status">
    <Text c="dimmed">
      No {what} matches “{search}”.
    </Text>
    <Button variant="default" size="compact-sm" onClick={onShowAll}>
      Show all
    </Button>
  </Group>
);

/** Says that a list is longer than what is shown and searched of it; nothing when it is not. */
export const ShownOf = ({
  shown = 0,
  count = 0,
  what,
}: {
  shown: number | undefined;
  count: number | undefined;
  what: string;
}) =>
  count > shown ? (
    <Text c="dimmed" size="sm">
      The first {formatCount(shown)} of {formatCount(count)} {what}; the others are in the interface only.
    </Text>
  ) : null;
