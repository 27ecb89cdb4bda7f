import { type RefObject, useEffect, useRef } from 'react';
import { attachPinch, type OnPinch } from '../state/pinch.ts';

/** Reports two-finger gestures on an element while it is mounted. */
export function usePinch(element: RefObject<HTMLElement | null>, onPinch: OnPinch): void {
  const latest = useRef(onPinch);
  latest.current = onPinch;
  useEffect(() => {
    const off = new AbortController();
    if (element.current) attachPinch(element.current, (...moved) => latest.current(...moved), off.signal);
    return () => off.abort();
  }, [element]);
}
