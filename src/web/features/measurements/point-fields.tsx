import { ActionIcon, Group, NumberInput, Stack, Text } from '@mantine/core';
import { IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';

type Point = [number, number, number];

interface PointFieldsProps {
  points: readonly Point[];
  /** why the points can't be moved; null = they can */
  reason: string | null;
  onChange: (points: Point[]) => void;
  /** whether points may also be removed */
  isOpen: boolean;
}

/** Beyond this number points have no fields: so many are picked, not typed. */
export const maxFields = 24;

/** Number fields for each coordinate. */
export function PointFields({ points, reason, onChange, isOpen }: PointFieldsProps) {
  const shown = points.slice(0, maxFields);
  return (
    <Stack gap={4}>
      {shown.map((point, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a point is identified by its position in the list
        <Group key={at} gap={4} wrap="nowrap" role="group" aria-label={`Point ${at + 1}`}>
          <Text size="xs" c="dimmed" w={18} ta="right">
            {at + 1}
          </Text>
          {(['X', 'Y', 'Z'] as const).map((axis, k) => (
            <Coordinate
              key={axis}
              label={`Point ${at + 1} ${axis}, mm`}
              value={point[k as 0 | 1 | 2]}
              isOff={reason !== null}
              onChange={(value) => {
                const moved: Point = [...point];
                moved[k as 0 | 1 | 2] = value;
                onChange(points.map((each, i) => (i === at ? moved : each)));
              }}
            />
          ))}
          {isOpen && (
            <ActionIcon
              size="sm"
              aria-label={`Remove point ${at + 1}`}
              onClick={() => onChange(points.filter((_, i) => i !== at))}
            >
              <IconX size={13} aria-hidden />
            </ActionIcon>
          )}
        </Group>
      ))}
      {points.length > maxFields && (
        <Text size="xs" c="dimmed">
          and {points.length - maxFields} more points
        </Text>
      )}
    </Stack>
  );
}

interface CoordinateProps {
  label: string;
  value: number;
  isOff: boolean;
  onChange: (value: number) => void;
}

/** Applied on Enter or when the field loses focus. */
function Coordinate({ label, value, isOff, onChange }: CoordinateProps) {
  const [typed, setTyped] = useState<string | number>(value);
  useEffect(() => setTyped(Number(value.toFixed(4))), [value]);
  const commit = () => {
    const number = typeof typed === 'number' ? typed : Number.parseFloat(typed);
    if (!Number.isFinite(number)) setTyped(Number(value.toFixed(4)));
    else if (number !== Number(value.toFixed(4))) onChange(number);
  };
  return (
    <NumberInput
      size="xs"
      aria-label={label}
      value={typed}
      disabled={isOff}
      hideControls
      decimalScale={4}
      step={0.01}
      onChange={setTyped}
      onBlur={commit}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      styles={{ input: { paddingInline: 6, fontVariantNumeric: 'tabular-nums' } }}
    />
  );
}
