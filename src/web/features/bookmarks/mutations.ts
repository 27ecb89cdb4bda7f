import { z } from 'zod';
import {
  cancelBookmarkRender,
  createBookmark,
  createBookmarkComment,
  createBookmarkRender,
  deleteBookmark,
  retryBookmarkRender,
  updateBookmark,
} from '#web/api/generated/sdk.gen.ts';
import type { Bookmark } from '#web/api/generated/types.gen.ts';
import { useChange } from '#web/api/refresh.ts';
import type { KeptView } from '#web/viewer/ScanViewer.tsx';

const thumbnailSize = { width: 640, height: 400 };

/** Encodes a picture for the request body. */
async function encodeBase64(picture: Blob): Promise<string> {
  const text = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(z.string().parse(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(picture);
  });
  return text.slice(text.indexOf(',') + 1);
}

const stale = [
  'listBookmarks',
  'readStory',
  'readBookmark',
  'listBookmarkComments',
  'listBookmarkRenders',
] as const;

interface NewBookmark {
  viewer: KeptView;
  name: string;
  description: string;
}

/** Creates a bookmark: the viewer's state and a picture of it. */
export const useCreateBookmark = (projectId: string) =>
  useChange(
    async ({ viewer, name, description }: NewBookmark): Promise<Bookmark> => {
      const viewState = viewer.state();
      const thumbnailPng = await encodeBase64(await viewer.capture(thumbnailSize));
      const body = { projectId, name, description, viewState, thumbnailPng };
      return (await createBookmark({ body })).data;
    },
    ...stale,
  );

interface BookmarkChange {
  bookmark: Bookmark;
  name?: string;
  description?: string;
  viewer?: KeptView;
}

/** Changes name and description; with `viewer` also the saved view. */
export const useUpdateBookmark = () =>
  useChange(
    async ({ bookmark, viewer, ...texts }: BookmarkChange) => {
      const { name = bookmark.name, description = bookmark.description } = texts;
      const picture = viewer && { thumbnailPng: await encodeBase64(await viewer.capture(thumbnailSize)) };
      const viewState = viewer?.state() ?? bookmark.viewState;
      const body = { name, description, viewState, ...picture };
      return updateBookmark({ path: { id: bookmark.id }, body });
    },
    ...stale,
  );

export const useDeleteBookmark = () => useChange((id: string) => deleteBookmark({ path: { id } }), ...stale);

export const useCreateComment = (id: string) =>
  useChange((text: string) => createBookmarkComment({ path: { id }, body: { text } }), ...stale);

/** Stops a render in progress, or retries one that failed or was stopped. */
export const useChangeRender = (bookmark: Bookmark) =>
  useChange(
    ({ id, change }: { id: string; change: 'cancel' | 'retry' }) => {
      const call = change === 'cancel' ? cancelBookmarkRender : retryBookmarkRender;
      return call({ path: { id: bookmark.id, renderId: id } });
    },
    ...stale,
  );

interface NewRender {
  width: number;
  height: number;
  viewer: KeptView | null;
}

/** Renders a picture of the bookmark's view: in the viewer that shows it, or on the service if none does. */
export const useCreateRender = (bookmark: Bookmark) =>
  useChange(
    async ({ width, height, viewer }: NewRender) => {
      const picture = viewer && { png: await encodeBase64(await viewer.capture({ width, height })) };
      const body = { width, height, viewState: bookmark.viewState, ...picture };
      return createBookmarkRender({ path: { id: bookmark.id }, body });
    },
    ...stale,
  );
