import { useEffect, useRef, useState } from 'react';
import type { Volume } from '#kernels/grid/volume.ts';
import { readMessage } from '../data/read-message.ts';

interface Source {
  id: string;
  load: ((signal: AbortSignal) => Promise<Volume>) | null;
}

/** The preview volumes of the scans, each loaded once, and load errors by scan id. */
export function useVolumes(scans: readonly Source[]) {
  const [volumes, setVolumes] = useState<ReadonlyMap<string, Volume>>(new Map());
  const [problems, setProblems] = useState<ReadonlyMap<string, string>>(new Map());
  const loads = useRef(new Map<string, AbortController>());
  useEffect(() => {
    const wanted = new Set(scans.map(({ id }) => id));
    for (const [id, load] of loads.current)
      if (!wanted.has(id)) {
        load.abort();
        loads.current.delete(id);
        // Frees its memory when its pane is removed.
        setVolumes((before) => new Map([...before].filter(([each]) => each !== id)));
      }
    for (const { id, load } of scans) {
      if (load === null || loads.current.has(id)) continue;
      const end = new AbortController();
      loads.current.set(id, end);
      load(end.signal).then(
        (volume) => {
          if (!end.signal.aborted) setVolumes((before) => new Map(before).set(id, volume));
        },
        (cause) => {
          if (end.signal.aborted) return;
          const words = readMessage(cause);
          setProblems((before) => new Map(before).set(id, `The scan cannot be shown: ${words}`));
        },
      );
    }
  }, [scans]);
  useEffect(() => {
    const running = loads.current;
    return () => {
      for (const load of running.values()) load.abort();
      running.clear();
    };
  }, []);
  return { volumes, problems };
}
