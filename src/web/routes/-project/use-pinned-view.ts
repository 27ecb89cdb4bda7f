import { useRef } from 'react';
import type { ViewState } from '#contract/shapes/view-state.ts';
import type { DataObject } from '#web/api/generated/types.gen.ts';
import { holdsAllOf } from '#web/features/data-objects/viewer-sources.ts';

/**
 * The view that determines which data are shown, whatever else the project contains: that of the bookmark, or that of a
 * link if no data object is selected. A link's view is dropped when a new scan arrives while the page is open.
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
