import { Text, Tooltip } from '@mantine/core';
import { useEffect, useState } from 'react';
import { formatExact, formatRelative } from './quantity.ts';

/** One timer for all relative times of the page; an update every half minute is enough. */
const listeners = new Set<() => void>();
let ticking = 0;

function useNow(): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const listener = () => setNow(Date.now());
    listeners.add(listener);
    if (listeners.size === 1)
      ticking = window.setInterval(() => {
        for (const each of listeners) each();
      }, 30_000);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0) window.clearInterval(ticking);
    };
  }, []);
  return now;
}

/** `3 hours ago`; the exact time on hover and for machines. */
export function RelativeTime({ value, c }: { value: string | null; c?: string }) {
  const now = useNow();
  if (value === null)
    return (
      <Text span inherit c="dimmed">
        –
      </Text>
    );
  const time = Date.parse(value);
  // The service's clock may be slightly ahead; a recent event must not appear to be in the future.
  const isClockSkew = time > now && time - now < 60_000;
  return (
    <Tooltip label={formatExact(time)}>
      <Text span inherit c={c} style={{ whiteSpace: 'nowrap' }}>
        <time dateTime={value}>{formatRelative(isClockSkew ? now : time, now)}</time>
      </Text>
    </Tooltip>
  );
}
