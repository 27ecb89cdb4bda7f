import { IconFileText } from '@tabler/icons-react';
import { ActionButton } from '#web/ui/action-button.tsx';

interface ReportButtonProps {
  /** why no report can be made; null = it can */
  reason: string | null;
  isRequesting: boolean;
  onRequest: () => void;
}

export function ReportButton({ reason, isRequesting, onRequest }: ReportButtonProps) {
  return (
    <ActionButton
      variant="default"
      // Where there is little room, the menu beside it has it too.
      visibleFrom="sm"
      leftSection={<IconFileText size={14} aria-hidden />}
      reason={reason}
      loading={isRequesting}
      onClick={onRequest}
    >
      Report
    </ActionButton>
  );
}
