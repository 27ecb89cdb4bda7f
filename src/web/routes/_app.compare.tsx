import { createFileRoute } from '@tanstack/react-router';
import { ComparePage } from './-compare/compare-page.tsx';
import { CompareSearch } from './-compare/compare-search.ts';

export const Route = createFileRoute('/_app/compare')({
  validateSearch: CompareSearch,
  component: CompareRoute,
  staticData: { crumb: 'Compare' },
});

function CompareRoute() {
  const navigate = Route.useNavigate();
  return (
    <ComparePage
      search={Route.useSearch()}
      onSearch={(search, options) => void navigate({ search, replace: options?.replace, resetScroll: false })}
    />
  );
}
