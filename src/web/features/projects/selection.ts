/** The selection in a paged list: single items across pages, or all results of a query with exceptions. */

export type Selection<Item> =
  | { kind: 'items'; items: ReadonlyMap<string, Item> }
  | { kind: 'query'; without: ReadonlySet<string> };

interface Identified {
  id: string;
}

export const nothing = <Item>(): Selection<Item> => ({ kind: 'items', items: new Map() });
export const everything = <Item>(): Selection<Item> => ({ kind: 'query', without: new Set() });

export const isSelected = <Item>(selection: Selection<Item>, id: string): boolean =>
  selection.kind === 'items' ? selection.items.has(id) : !selection.without.has(id);

/** Number of selected items, if the query finds `count`. */
export const selectedCount = <Item>(selection: Selection<Item>, count: number): number =>
  selection.kind === 'items' ? selection.items.size : Math.max(0, count - selection.without.size);

/** Selects or deselects the given items; all others are unchanged. */
export function withItems<Item extends Identified>(
  selection: Selection<Item>,
  items: readonly Item[],
  selected: boolean,
): Selection<Item> {
  if (selection.kind === 'query') {
    const without = new Set(selection.without);
    for (const { id } of items) {
      if (selected) without.delete(id);
      else without.add(id);
    }
    return { kind: 'query', without };
  }
  const next = new Map(selection.items);
  for (const item of items) {
    if (selected) next.set(item.id, item);
    else next.delete(item.id);
  }
  return { kind: 'items', items: next };
}

/** Whether all, some or none of the items of a page are selected. */
export function shownState<Item extends Identified>(
  selection: Selection<Item>,
  shown: readonly Item[],
): 'all' | 'some' | 'none' {
  const selected = shown.filter(({ id }) => isSelected(selection, id)).length;
  if (selected === 0) return 'none';
  return selected === shown.length ? 'all' : 'some';
}

/** The items from the one toggled last to this one, in the order shown; only this one if the other is gone. */
export function rangeTo<Item extends Identified>(
  shown: readonly Item[],
  lastId: string | null,
  id: string,
): Item[] {
  const to = shown.findIndex((item) => item.id === id);
  const from = shown.findIndex((item) => item.id === lastId);
  if (to < 0) return [];
  return shown.slice(from < 0 ? to : Math.min(from, to), Math.max(from, to) + 1);
}

/** Replaces selected items by their newer versions on the page. */
export function refreshed<Item extends Identified>(
  selection: Selection<Item>,
  shown: readonly Item[],
): Selection<Item> {
  if (selection.kind === 'query' || !shown.some(({ id }) => selection.items.has(id))) return selection;
  return withItems(
    selection,
    shown.filter(({ id }) => selection.items.has(id)),
    true,
  );
}
