import { z } from 'zod';
import { Fraction, Timestamp, Url, UserSummary, Uuid, WorkError, WorkStatus } from '../base/primitives.ts';
import { Name } from './organization.ts';
import { definePage, PageQuery } from './page.ts';
import { ViewState } from './view-state.ts';

export const Bookmark = z
  .object({
    id: Uuid,
    projectId: Uuid,
    projectName: z.string(),
    name: z.string(),
    description: z.string(),
    viewState: ViewState,
    thumbnailUrl: z.string().nullable().meta({ description: 'signed address; null when there is none' }),
    commentCount: z.int(),
    createdBy: Uuid.nullable(),
    author: UserSummary.nullable().meta({ description: 'null when the account was deleted' }),
    createdAt: Timestamp,
    updatedAt: Timestamp,
  })
  .meta({ id: 'Bookmark' });
export type Bookmark = z.infer<typeof Bookmark>;
export const BookmarkPage = definePage(Bookmark, 'BookmarkPage');
export const BookmarkListQuery = PageQuery.extend({
  project: Uuid.optional(),
  search: z.string().optional(),
});

/** Upper limit of a presentation's slides; nobody presents more. */
export const maxStoryBookmarks = 200;

export const Story = z
  .object({
    bookmarks: z.array(Bookmark).meta({
      description: `in presentation order, at most the first ${maxStoryBookmarks}`,
    }),
    count: z.int().meta({ description: 'number of all bookmarks of the project' }),
  })
  .meta({ id: 'Story' });
export type Story = z.infer<typeof Story>;
export const StoryInput = z
  .strictObject({
    bookmarkIds: z.array(Uuid).min(1).max(maxStoryBookmarks).meta({
      description: 'bookmarks of the project in the new order; bookmarks not listed follow, oldest first',
    }),
  })
  .meta({ id: 'StoryInput' });

const Png = z.base64().max(60_000_000).meta({ description: 'PNG, base64' });

export const BookmarkInput = z
  .strictObject({
    projectId: Uuid,
    name: Name,
    description: z.string().max(20_000).default(''),
    viewState: ViewState,
    thumbnailPng: Png.optional(),
  })
  .meta({ id: 'BookmarkInput' });

export const BookmarkUpdate = z
  .strictObject({
    name: Name,
    description: z.string().max(20_000),
    viewState: ViewState,
    thumbnailPng: Png.optional(),
  })
  .meta({ id: 'BookmarkUpdate' });

export const BookmarkComment = z
  .object({ id: Uuid, text: z.string(), author: UserSummary, createdAt: Timestamp })
  .meta({ id: 'BookmarkComment' });
export const BookmarkCommentPage = definePage(BookmarkComment, 'BookmarkCommentPage');
export const BookmarkCommentInput = z
  .strictObject({ text: z.string().trim().min(1).max(20_000) })
  .meta({ id: 'BookmarkCommentInput' });

export const BookmarkRender = z
  .object({
    id: Uuid,
    status: WorkStatus,
    progress: Fraction.meta({ 'x-extension': true }),
    stage: z.string().nullable().meta({
      'x-extension': true,
      description: 'current step, in words; null when none is reported',
    }),
    width: z.int(),
    height: z.int(),
    url: Url.nullable().meta({ description: 'signed address of the PNG; null until completed' }),
    error: WorkError.nullable().meta({ description: 'null unless it failed' }),
    createdAt: Timestamp,
  })
  .meta({ id: 'BookmarkRender' });
export type BookmarkRender = z.infer<typeof BookmarkRender>;
export const BookmarkRenderPage = definePage(BookmarkRender, 'BookmarkRenderPage');
export const BookmarkRenderInput = z
  .strictObject({
    width: z.int().min(16).max(3840),
    height: z.int().min(16).max(2160),
    viewState: ViewState.optional().meta({ description: 'default: that of the bookmark' }),
    png: Png.optional().meta({
      description: 'PNG in base64, rendered by the viewer; without it, the service renders the picture',
    }),
  })
  .meta({ id: 'BookmarkRenderInput' });
