import { Badge, Group, Text, Tooltip } from '@mantine/core';
import { IconCube } from '@tabler/icons-react';
import { Link } from '@tanstack/react-router';
import { findTitle } from '#contract/analyses/registry.ts';
import { formatCount } from '#contract/base/format-number.ts';
import type { Workspace } from '#contract/shapes/organization.ts';
import type { Project } from '#contract/shapes/project.ts';
import { resolveAddress } from '#web/api/session-token.ts';
import { createdColumn } from '#web/ui/created-column.tsx';
import { actionsColumn, type DataTableColumn } from '#web/ui/data-table.tsx';
import { formatBytes, formatProgress, spellOut } from '#web/ui/quantity.ts';
import { RelativeTime } from '#web/ui/relative-time.tsx';
import { StatusBadge, statusWord } from '#web/ui/status-badge.tsx';
import { VerdictBadge } from '#web/ui/verdict-badge.tsx';
import classes from './project-columns.module.css';
import { ProjectRowMenu, type RowAction } from './project-row-menu.tsx';

const Nothing = () => (
  <Text span inherit c="dimmed">
    –
  </Text>
);

function Thumbnail({ url }: { url: string | null }) {
  return (
    <span className={classes.thumbnail}>
      {url === null ? (
        <IconCube size={15} stroke={1.4} aria-hidden />
      ) : (
        <img src={resolveAddress(url)} alt="" loading="lazy" />
      )}
    </span>
  );
}

/** Further tags are shown as a number. The second tag needs a wide column; in a narrow one the name takes priority. */
const shownTags = 2;

function MoreTags({ tags, className }: { tags: string[]; className: string | undefined }) {
  if (tags.length === 0) return null;
  return (
    <Tooltip label={tags.join(', ')}>
      <Text span size="xs" c="dimmed" className={className}>
        +{tags.length}
      </Text>
    </Tooltip>
  );
}

interface NameProps {
  project: Project;
  doing: string | undefined;
  onTag: (tag: string) => void;
}

function Name({ project, doing, onTag }: NameProps) {
  const name =
    project.state === 'deleted' ? (
      <Text span inherit truncate title={project.name}>
        {project.name}
      </Text>
    ) : (
      <Link
        to="/projects/$projectId"
        params={{ projectId: project.id }}
        className={classes.name}
        title={project.name}
      >
        {project.name}
      </Link>
    );
  return (
    <Group gap={6} wrap="nowrap" className={classes.nameAndTags}>
      {name}
      {doing !== undefined && <StatusBadge status="processing" label={doing} />}
      {project.tags.slice(0, shownTags).map((tag) => (
        <button
          key={tag}
          type="button"
          className={classes.tag}
          onClick={() => onTag(tag)}
          title={`Show only #${tag}`}
        >
          {tag}
        </button>
      ))}
      <MoreTags tags={project.tags.slice(shownTags)} className={classes.ifWide} />
      <MoreTags tags={project.tags.slice(1)} className={classes.ifNarrow} />
      <MoreTags tags={project.tags} className={classes.ifTight} />
    </Group>
  );
}

function LatestOperation({ operation }: { operation: Project['latestOperation'] }) {
  if (operation === null) return <Nothing />;
  const title = findTitle(operation.operation) ?? spellOut(operation.operation);
  const isRunning = operation.status === 'processing';
  return (
    <Tooltip label={`${title}: ${isRunning ? (operation.stage ?? 'running') : statusWord(operation.status)}`}>
      <div>
        <StatusBadge
          status={operation.status}
          label={isRunning ? `${title} ${formatProgress(operation.progress)}` : title}
        />
      </div>
    </Tooltip>
  );
}

function Verdict({ project: { id, state, verdict, leadingCharacteristic } }: { project: Project }) {
  if (verdict === null) return <Nothing />;
  const badge = <VerdictBadge verdict={verdict} leading={leadingCharacteristic} />;
  if (state === 'deleted') return badge;
  return (
    <Link
      to="/projects/$projectId"
      params={{ projectId: id }}
      search={{ characteristic: leadingCharacteristic?.id }}
      className={classes.verdict}
    >
      {badge}
    </Link>
  );
}

interface ColumnsInput {
  workspaces: Workspace[];
  /** a single workspace is selected, so a workspace column would be redundant */
  hidesWorkspace: boolean;
  busy: ReadonlyMap<string, string>;
  onTag: (tag: string) => void;
  onAction: (action: RowAction, project: Project) => void;
}

export function projectColumns(input: ColumnsInput): DataTableColumn<Project>[] {
  const { workspaces, hidesWorkspace, busy, onTag, onAction } = input;
  const workspaceNames = new Map(workspaces.map(({ id, name }) => [id, name]));
  const columns: (DataTableColumn<Project> | null)[] = [
    {
      key: 'thumbnail',
      title: 'Picture',
      titleHidden: true,
      width: 44,
      render: ({ thumbnailUrl }) => <Thumbnail url={thumbnailUrl} />,
    },
    {
      key: 'name',
      title: 'Name',
      sortBy: 'name',
      render: (project) => <Name project={project} doing={busy.get(project.id)} onTag={onTag} />,
    },
    {
      key: 'partNumber',
      title: 'Part no.',
      width: 112,
      render: ({ partNumber }) => partNumber ?? <Nothing />,
    },
    {
      key: 'serialNumber',
      title: 'Serial no.',
      width: 124,
      room: 'wide',
      render: ({ serialNumber }) => serialNumber ?? <Nothing />,
    },
    {
      key: 'lot',
      title: 'Lot',
      width: 90,
      room: 'wide',
      render: ({ lot }) => lot ?? <Nothing />,
    },
    {
      key: 'verdict',
      title: 'Verdict',
      width: 184,
      sortBy: 'verdict',
      render: (project) => <Verdict project={project} />,
    },
    {
      key: 'latestOperation',
      title: 'Latest work',
      width: 148,
      room: 'some',
      render: ({ latestOperation }) => <LatestOperation operation={latestOperation} />,
    },
    hidesWorkspace
      ? null
      : {
          key: 'workspace',
          title: 'Workspace',
          width: 140,
          room: 'wider',
          render: ({ workspaceId }) => workspaceNames.get(workspaceId) ?? <Nothing />,
        },
    {
      key: 'state',
      title: 'State',
      width: 96,
      sortBy: 'state',
      render: ({ state }) =>
        state === 'active' ? (
          'Active'
        ) : (
          <Badge variant="light" color="gray" size="sm" tt="none" fw={500}>
            {state === 'deleted' ? 'In trash' : spellOut(state)}
          </Badge>
        ),
    },
    {
      key: 'dataObjectCount',
      title: 'Data',
      width: 66,
      align: 'right',
      room: 'wider',
      render: ({ dataObjectCount }) => formatCount(dataObjectCount),
    },
    {
      key: 'storageBytes',
      title: 'Size',
      width: 82,
      align: 'right',
      sortBy: 'storageBytes',
      room: 'some',
      render: ({ storageBytes }) => (storageBytes === 0 ? <Nothing /> : formatBytes(storageBytes)),
    },
    {
      key: 'updatedAt',
      title: 'Changed',
      width: 112,
      sortBy: 'updatedAt',
      room: 'wider',
      render: ({ updatedAt }) => <RelativeTime value={updatedAt} />,
    },
    { ...createdColumn, width: 112, sortBy: 'createdAt', room: 'some' },
    {
      ...actionsColumn,
      width: 52,
      render: (project) => <ProjectRowMenu project={project} onAction={onAction} />,
    },
  ];
  return columns.filter((column) => column !== null);
}
