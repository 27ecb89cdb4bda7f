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
    thumbnailUrl: z.string().nullable(),
    commentCount: z.int(),
    createdBy: Uuid.nullable(),
    author: UserSummary.nullable().meta({ description: 'who made it; null = the account is gone' }),
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

/** More slides than this nobody presents. */
export const mostInStory = 200;

export const Story = z
  .object({
    bookmarks: z.array(Bookmark).meta({
      description: `in the order in which they are presented, at most the first ${mostInStory}`,
    }),
    count: z.int().meta({ description: 'of all bookmarks of the project' }),
  })
  .meta({ id: 'Story' });
export type Story = z.infer<typeof Story>;
export const StoryInput = z
  .strictObject({
    bookmarkIds: z.array(Uuid).min(1).max(mostInStory).meta({
      description: 'bookmarks of the project; those that are left out come after them, oldest first',
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
      description: 'what is being done, in words',
    }),
    width: z.int(),
    height: z.int(),
    url: Url.nullable(),
    error: WorkError.nullable(),
    createdAt: Timestamp,
  })
  .meta({ id: 'BookmarkRender' });
export type BookmarkRender = z.infer<typeof BookmarkRender>;
export const BookmarkRenderPage = definePage(BookmarkRender, 'BookmarkRenderPage');
export const BookmarkRenderInput = z
  .strictObject({
    width: z.int().min(16).max(3840),
    height: z.int().min(16).max(2160),
    viewState: ViewState.optional(),
    png: Png.optional().meta({ description: 'made by the viewer; without it the service makes one' }),
  })
  .meta({ id: 'BookmarkRenderInput' });
