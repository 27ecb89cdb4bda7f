import { Text } from '@mantine/core';
import { useCallbackRef } from '@mantine/hooks';
import { useEffect, useState } from 'react';
import classes from './uploads-panel.module.css';

interface PageDropTargetProps {
  /** why nothing can be dropped; null = it can */
  reason: string | null;
  /** what happens to dropped files */
  words: string;
  onFiles: (files: File[]) => void;
}

const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') ?? false;

/** Accepts files anywhere on the page, and shows a hint while files are dragged over it. */
export function PageDropTarget({ reason, words, onFiles }: PageDropTargetProps) {
  const [over, setOver] = useState(false);
  const take = useCallbackRef(onFiles);
  useEffect(() => {
    // The pointer enters a child before it leaves the parent, so only the difference tells whether it is still on the
    // page.
    let depth = 0;
    const onEnter = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth++;
      setOver(true);
    };
    const onLeave = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      depth--;
      if (depth <= 0) setOver(false);
    };
    const onOver = (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    };
    const onDrop = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      depth = 0;
      setOver(false);
      if (reason === null) take([...(event.dataTransfer?.files ?? [])]);
    };
    window.addEventListener('dragenter', onEnter);
    window.addEventListener('dragleave', onLeave);
    window.addEventListener('dragover', onOver);
    window.addEventListener('drop', onDrop);
    return () => {
      window.removeEventListener('dragenter', onEnter);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('drop', onDrop);
    };
  }, [take, reason]);
  if (!over) return null;
  return (
    <div className={classes.overlay}>
      <Text fw={600} size="lg" className={classes.overlayWords}>
        {reason ?? words}
      </Text>
    </div>
  );
}
