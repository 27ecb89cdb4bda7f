import { RelativeTime } from './relative-time.tsx';

/**
 * Table column with the creation time of each row. Lists that call it something else spread it and override the title.
 */
export const createdColumn = {
  key: 'createdAt',
  title: 'Created',
  width: 120,
  render: ({ createdAt }: { createdAt: string }) => <RelativeTime value={createdAt} />,
};
