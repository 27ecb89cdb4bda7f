import { Slider } from '@mantine/core';
import { FieldInput, type FieldProps } from './field-input.tsx';

interface GreyLevelInputProps extends FieldProps {
  /** lowest and highest grey value of the scan */
  range: readonly [number, number];
}

/** Number of slider steps. */
const sliderSteps = 1000;

/** Rounds a grey value to the resolution of one slider step. */
export function roundTo(value: number, range: readonly [number, number] | null): number {
  const step = range ? (range[1] - range[0]) / sliderSteps : Math.abs(value) / sliderSteps;
  const decimals = Math.min(12, Math.max(0, -Math.floor(Math.log10(step > 0 ? step : 1))));
  return Number(value.toFixed(decimals));
}

/** Input for a grey value of the scan, typed or dragged. */
export function GreyLevelInput({ range, value, onChange, ...shared }: GreyLevelInputProps) {
  const [low, high] = range;
  return (
    <div>
      <FieldInput {...shared} value={value} sources={[]} onChange={onChange} />
      <Slider
        mt={6}
        mx={6}
        size="sm"
        thumbLabel={`${shared.field.title}, dragged`}
        label={null}
        min={low}
        max={high}
        step={(high - low) / sliderSteps}
        value={typeof value === 'number' ? value : low}
        onChange={(next) => onChange(roundTo(next, range))}
      />
    </div>
  );
}
