import { useEffect, useRef, useState } from 'react';

/**
 * Aspect ratio (width / height) of the first pane in a grid; 1 before layout.
 *
 * @param onAspect also receives it
 */
export function usePaneAspect(onAspect: (aspect: number) => void) {
  const grid = useRef<HTMLDivElement>(null);
  const [aspect, setAspect] = useState(1);
  // The set of panes changes with the comparison.
  useEffect(() => {
    const pane = grid.current?.querySelector('[role="application"]');
    if (!pane) return;
    const sized = new ResizeObserver(() => {
      if (pane.clientHeight === 0) return;
      setAspect(pane.clientWidth / pane.clientHeight);
      onAspect(pane.clientWidth / pane.clientHeight);
    });
    sized.observe(pane);
    return () => sized.disconnect();
  });
  return { grid, aspect };
}
