import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { readBookmarkQueryKey, readStoryOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { orderStory } from '#web/api/generated/sdk.gen.ts';
import type { Bookmark, Story } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { refresh } from '#web/api/refresh.ts';

export const storyOptions = (projectId: string) => readStoryOptions({ path: { id: projectId } });

/** The list with the item at `from` moved to `to`. */
export function moveItem<Item>(items: readonly Item[], from: number, to: number): Item[] {
  const rest = items.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...items.slice(from, from + 1), ...rest.slice(to)];
}

/** Reorders the bookmarks of a project: at once on the page, then on the service. */
function useOrderStory(projectId: string) {
  const queryClient = useQueryClient();
  const { queryKey } = storyOptions(projectId);
  return useMutation({
    mutationFn: (bookmarks: Bookmark[]) =>
      orderStory({ path: { id: projectId }, body: { bookmarkIds: bookmarks.map(({ id }) => id) } }),
    onMutate: async (bookmarks) => {
      await queryClient.cancelQueries({ queryKey });
      queryClient.setQueryData<Story>(queryKey, (story) => story && { ...story, bookmarks });
    },
    onError: notifyFailure,
    onSettled: () => refresh(queryClient, { operation: 'readStory', path: { id: projectId } }),
  });
}

interface StoryOptions {
  projectId: string;
  /** whether the list is open; its query is enabled only then */
  isOpen: boolean;
  bookmarkId: string | undefined;
  onBookmark: (bookmarkId: string) => void;
  show: (state: ViewState) => void;
}

export interface StoryModel {
  query: ReturnType<typeof useStoryQuery>;
  bookmarks: readonly Bookmark[];
  /** index of the shown bookmark; −1 = none is shown */
  index: number;
  goTo: (index: number) => void;
  move: (from: number, to: number) => void;
  isPresenting: boolean;
  /** presents from the shown bookmark on, or from the first */
  present: () => void;
  end: () => void;
}

const useStoryQuery = (projectId: string, enabled: boolean) =>
  useQuery({ ...storyOptions(projectId), enabled });

/** The bookmarks of a project as a story: their order, which one is shown, and whether they are presented. */
export function useStory({ projectId, isOpen, bookmarkId, onBookmark, show }: StoryOptions): StoryModel {
  const queryClient = useQueryClient();
  const [isPresenting, setPresenting] = useState(false);
  const query = useStoryQuery(projectId, isOpen || isPresenting);
  const order = useOrderStory(projectId);
  const bookmarks = query.data?.bookmarks ?? [];
  const index = bookmarks.findIndex(({ id }) => id === bookmarkId);
  const goTo = (next: number) => {
    const bookmark = bookmarks[next];
    if (!bookmark) return;
    // Seeds the query, so that the viewer does not wait for the bookmark's data before it shows the view.
    queryClient.setQueryData(readBookmarkQueryKey({ path: { id: bookmark.id } }), bookmark);
    onBookmark(bookmark.id);
    show({ ...bookmark.viewState });
  };
  return {
    query,
    bookmarks,
    index,
    goTo,
    move: (from, to) => {
      if (to >= 0 && to < bookmarks.length && to !== from) order.mutate(moveItem(bookmarks, from, to));
    },
    isPresenting,
    present: () => {
      goTo(Math.max(0, index));
      setPresenting(true);
    },
    end: () => setPresenting(false),
  };
}
