import { Text, type TextProps } from '@mantine/core';
import { formatQuantity } from './quantity.ts';

interface QuantityProps extends TextProps {
  value: number | null | undefined;
  unit: string;
  /** digits after the point; four significant ones by default */
  digits?: number;
}

/** `2.418 mm` in tabular figures, never broken. */
export function Quantity({ value, unit, digits, ...rest }: QuantityProps) {
  return (
    <Text span inherit className="numbers" style={{ whiteSpace: 'nowrap' }} {...rest}>
      {formatQuantity(value, unit, digits)}
    </Text>
  );
}
