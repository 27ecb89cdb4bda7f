import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { ReactNode } from 'react';

export interface AskFirstOptions {
  title: string;
  /** what will happen */
  children: ReactNode;
  confirmLabel: string;
  onConfirm: () => void;
}

/** Asks for confirmation before an action that is hard to undo. Cancel has the focus. */
export function askFirst({ title, children, confirmLabel, onConfirm }: AskFirstOptions): void {
  modals.openConfirmModal({
    title,
    children: <Text>{children}</Text>,
    labels: { confirm: confirmLabel, cancel: 'Cancel' },
    cancelProps: { 'data-autofocus': true },
    confirmProps: { color: 'danger', 'data-sends': true },
    onConfirm,
  });
}
