import { useEffect, useRef } from 'react';

/** @returns a function whose promise resolves once nothing is loading, at once if nothing is */
export function useSettled(isLoading: boolean): () => Promise<void> {
  const waiting = useRef<(() => void)[]>([]);
  const latest = useRef(isLoading);
  useEffect(() => {
    latest.current = isLoading;
    if (isLoading) return;
    for (const resolve of waiting.current.splice(0)) resolve();
  });
  return () => (latest.current ? new Promise((resolve) => waiting.current.push(resolve)) : Promise.resolve());
}
