import { Modal } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { rankInputs } from '#contract/analyses/choose-inputs.ts';
import { type AnalysisKind, findAnalysis } from '#contract/analyses/registry.ts';
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
  const analysis = kind === null ? undefined : findAnalysis(kind);
  return (
    <Modal opened={kind !== null} onClose={onClose} title={analysis?.title} size="lg">
      {analysis && (
        <AnalysisForm
          key={analysis.key}
          projectId={projectId}
          analysis={analysis}
          given={given}
          sources={rankInputs(dataObjects, analysis.needs.source)}
          references={rankInputs(dataObjects, analysis.needs.reference)}
          reason={reason}
          onCancel={onClose}
          onStarted={() => {
            onClose();
            notifications.show({ message: `${analysis.title} has started`, autoClose: 4_000 });
          }}
        />
      )}
    </Modal>
  );
}
