import { Switch, type SwitchProps, Tooltip } from '@mantine/core';
import { reasonEvents } from './action-button.tsx';

interface ReasonedSwitchProps extends Pick<SwitchProps, 'aria-label' | 'label' | 'size' | 'title'> {
  checked: boolean;
  /** why it can't be switched now; null = it can */
  reason: string | null;
  onChange: (checked: boolean) => void;
}

/** A switch that stays focusable and shows its state while disabled, and states the reason. */
export function ReasonedSwitch({ reason, onChange, ...rest }: ReasonedSwitchProps) {
  const off = reason !== null;
  return (
    <Tooltip label={reason} disabled={!off} openDelay={0} refProp="rootRef" events={reasonEvents}>
      <Switch
        {...rest}
        display="inline-block"
        opacity={off ? 0.55 : undefined}
        aria-disabled={off || undefined}
        aria-description={reason ?? undefined}
        onChange={(event) => {
          if (!off) onChange(event.currentTarget.checked);
        }}
      />
    </Tooltip>
  );
}
