import { useEffect, useRef, useState } from 'react';

/**
 * Of the first pane in a grid, width to height, as it is laid out; 1 until it is.
 *
 * @param onAspect hears it, too
 */
export function usePaneAspect(onAspect: (aspect: number) => void) {
  const grid = useRef<HTMLDivElement>(null);
  const [aspect, setAspect] = useState(1);
  // The panes come and go with what is compared.
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
