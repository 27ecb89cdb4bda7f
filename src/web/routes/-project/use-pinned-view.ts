import { useRef } from 'react';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { DataObject } from '../../api/generated/types.gen.ts';
import { holdsAllOf } from '../../features/data-objects/viewer-sources.ts';

/**
 * The view that says which data are shown, whatever else is in the project: the bookmark's, or the one that a link carries
 * which names no data object beside it. Such a link gives way to a scan that comes while the page is open.
 */
export function usePinnedView(
  kept: ViewState | undefined,
  linked: ViewState | null,
  selected: DataObject | null,
  dataObjects: readonly DataObject[],
): ViewState | null {
  const known = useRef<{ view: ViewState; newestId: string | undefined }>(null);
  const newestId = dataObjects.find(({ kind }) => kind === 'volume')?.id;
  if (kept) return kept;
  if (linked === null || selected !== null || dataObjects.length === 0) return null;
  if (known.current?.view !== linked) known.current = { view: linked, newestId };
  return known.current.newestId === newestId && holdsAllOf(dataObjects, linked) ? linked : null;
}
