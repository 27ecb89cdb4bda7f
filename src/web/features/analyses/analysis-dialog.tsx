import { Modal } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { type AnalysisKind, analysisFacts } from '#contract/analyses/kinds.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { AnalysisForm } from './analysis-form.tsx';

interface AnalysisDialogProps {
  projectId: string;
  /** null = closed */
  kind: AnalysisKind | null;
  given?: Record<string, unknown>;
  dataObjects: readonly DataObject[];
  reason: string | null;
  onClose: () => void;
}

/** The form of an analysis in a dialog; it starts and says so. */
export function AnalysisDialog({
  projectId,
  kind,
  given,
  dataObjects,
  reason,
  onClose,
}: AnalysisDialogProps) {
  const facts = kind === null ? null : analysisFacts[kind];
  const sourceKinds: readonly string[] = facts?.sourceKinds ?? [];
  return (
    <Modal opened={kind !== null} onClose={onClose} title={facts?.title} size="lg">
      {kind !== null && facts !== null && (
        <AnalysisForm
          key={kind}
          projectId={projectId}
          kind={kind}
          given={given}
          sources={dataObjects.filter((candidate) => sourceKinds.includes(candidate.kind))}
          reason={reason}
          onCancel={onClose}
          onStarted={() => {
            onClose();
            notifications.show({ message: `${facts.title} has started`, autoClose: 4_000 });
          }}
        />
      )}
    </Modal>
  );
}
