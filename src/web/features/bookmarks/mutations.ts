import { useMutation, useQueryClient } from '@tanstack/react-query';
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
import type { ScanViewerHandle } from '#web/viewer/ScanViewer.tsx';

const thumbnailSize = { width: 640, height: 400 };

/** A picture as the service takes it. */
async function base64Of(picture: Blob): Promise<string> {
  const text = await new Promise<string>((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(z.string().parse(reader.result));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(picture);
  });
  return text.slice(text.indexOf(',') + 1);
}

function useRefresh() {
  const queryClient = useQueryClient();
  return () =>
    Promise.all(
      ['listBookmarks', 'readBookmark', 'listBookmarkComments', 'listBookmarkRenders'].map((operation) =>
        queryClient.invalidateQueries({ queryKey: [{ _id: operation }] }),
      ),
    );
}

interface NewBookmark {
  viewer: ScanViewerHandle;
  name: string;
  description: string;
}

/** Keeps what the viewer shows: its state and a picture of it. */
export function useCreateBookmark(projectId: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({ viewer, name, description }: NewBookmark): Promise<Bookmark> => {
      const viewState = viewer.state();
      const thumbnailPng = await base64Of(await viewer.capture(thumbnailSize));
      const body = { projectId, name, description, viewState, thumbnailPng };
      return (await createBookmark({ body, throwOnError: true })).data;
    },
    onSuccess: refresh,
  });
}

/** Changes name and description; with `viewer` also the view, to the one that it shows. */
export function useUpdateBookmark() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async (change: {
      bookmark: Bookmark;
      name?: string;
      description?: string;
      viewer?: ScanViewerHandle;
    }) => {
      const { bookmark, viewer } = change;
      const { name = bookmark.name, description = bookmark.description } = change;
      const picture = viewer
        ? { thumbnailPng: await base64Of(await viewer.capture(thumbnailSize)) }
        : undefined;
      const viewState = viewer?.state() ?? bookmark.viewState;
      const body = { name, description, viewState, ...picture };
      return updateBookmark({ path: { id: bookmark.id }, body, throwOnError: true });
    },
    onSettled: refresh,
  });
}

export function useDeleteBookmark() {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (id: string) => deleteBookmark({ path: { id }, throwOnError: true }),
    onSettled: refresh,
  });
}

export function useCreateComment(id: string) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: (text: string) => createBookmarkComment({ path: { id }, body: { text }, throwOnError: true }),
    onSettled: refresh,
  });
}

/** Stops a render that is being made, or makes one again that failed or was stopped. */
export function useChangeRender(bookmark: Bookmark) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: ({ id, change }: { id: string; change: 'cancel' | 'retry' }) => {
      const call = change === 'cancel' ? cancelBookmarkRender : retryBookmarkRender;
      return call({ path: { id: bookmark.id, renderId: id }, throwOnError: true });
    },
    onSettled: refresh,
  });
}

/** A picture of the bookmark's view: made by the viewer that shows it, or by the service where there is none. */
export function useCreateRender(bookmark: Bookmark) {
  const refresh = useRefresh();
  return useMutation({
    mutationFn: async ({
      width,
      height,
      viewer,
    }: {
      width: number;
      height: number;
      viewer: ScanViewerHandle | null;
    }) => {
      const picture = viewer ? { png: await base64Of(await viewer.capture({ width, height })) } : undefined;
      const body = { width, height, viewState: bookmark.viewState, ...picture };
      return createBookmarkRender({ path: { id: bookmark.id }, body, throwOnError: true });
    },
    onSettled: refresh,
  });
}
