import { createFileRoute } from '@tanstack/react-router';
import { BookmarksList } from '#web/features/bookmarks/bookmarks-list.tsx';
import { BookmarkSearch, bookmarkPageOptions } from '#web/features/bookmarks/queries.ts';

export const Route = createFileRoute('/_app/bookmarks')({
  validateSearch: BookmarkSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => void context.queryClient.prefetchQuery(bookmarkPageOptions(deps)),
  component: BookmarksRoute,
  staticData: { crumb: 'Bookmarks' },
});

function BookmarksRoute() {
  const navigate = Route.useNavigate();
  return <BookmarksList search={Route.useSearch()} onSearch={(search) => void navigate({ search })} />;
}
