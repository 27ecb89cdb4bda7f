import { Text } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { linkClass } from './data-table.tsx';

interface InProject {
  projectId: string;
  /** null: there is no such project any more, or none that one may see */
  projectName: string | null;
}

/** Of a table whose rows belong to projects: the way to each. @param tab of its page */
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
