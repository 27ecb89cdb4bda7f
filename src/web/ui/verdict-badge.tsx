import { Tooltip } from '@mantine/core';
import { explainLimited, type Limited } from './limits.ts';
import { StatusBadge, statusWord } from './status-badge.tsx';

interface VerdictBadgeProps {
  verdict: string;
  /** the characteristic that determines the verdict */
  leading: (Limited & { name: string; reason: string | null }) | null;
}

/** “Fail · CAD comparison”, with the measured value and its limits on hover. */
export function VerdictBadge({ verdict, leading }: VerdictBadgeProps) {
  if (leading === null) return <StatusBadge status={verdict} />;
  const label = verdict === 'pass' ? statusWord(verdict) : `${statusWord(verdict)} · ${leading.name}`;
  return (
    <Tooltip label={explainLimited(leading)} multiline maw={420}>
      <span>
        <StatusBadge status={verdict} label={label} />
      </span>
    </Tooltip>
  );
}
