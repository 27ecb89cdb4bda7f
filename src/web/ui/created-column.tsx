import { RelativeTime } from './relative-time.tsx';

/** Of a table: when each row came into being. What a list calls it otherwise is laid over it. */
export const createdColumn = {
  key: 'createdAt',
  title: 'Created',
  width: 120,
  render: ({ createdAt }: { createdAt: string }) => <RelativeTime value={createdAt} />,
};
