import { IconFileText } from '@tabler/icons-react';
import { ActionButton } from '#web/ui/action-button.tsx';

interface ReportButtonProps {
  /** why no report can be created; null = it can */
  reason: string | null;
  isRequesting: boolean;
  onRequest: () => void;
}

export function ReportButton({ reason, isRequesting, onRequest }: ReportButtonProps) {
  return (
    <ActionButton
      variant="default"
      // On small screens only the menu beside it offers the report.
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
