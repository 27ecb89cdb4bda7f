import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { linkClass } from './data-table.tsx';

interface InProject {
  projectId: string;
  /** null: the project no longer exists, or the user may not see it */
  projectName: string | null;
}

/**
 * Table column with a link to the project of each row.
 * @param tab tab of the project page to open
 */
export const makeProjectColumn = (tab?: 'recipes') => ({
  key: 'project',
  title: 'Project',
  render: ({ projectId, projectName }: InProject) =>
    projectName === null ? (
      <Text span inherit c="dimmed">
        {projectId}
      </Text>
    ) : (
      <Link to="/projects/$projectId" params={{ projectId }} search={{ tab }} className={linkClass}>
        {projectName}
      </Link>
    ),
});
