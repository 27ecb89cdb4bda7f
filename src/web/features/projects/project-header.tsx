import { Badge, Box, Group } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { hasCode } from '#web/api/errors.ts';
import type { Project, ProjectPatch } from '#web/api/generated/types.gen.ts';
import { notifyFailure } from '#web/api/notify-failure.ts';
import { VerdictBadge } from '#web/ui/verdict-badge.tsx';
import { reasonAgainst } from './capability.ts';
import { askPlace, DestinationDialog } from './destination-dialog.tsx';
import { DetailsDialog } from './details-dialog.tsx';
import { InlineName } from './inline-name.tsx';
import { archive, copyTo, moveTo, remove, restore } from './project-actions.ts';
import classes from './project-header.module.css';
import { ProjectMenu, type ProjectMenuAction } from './project-menu.tsx';
import { ProjectTags } from './project-tags.tsx';
import { workspaceOptions } from './queries.ts';
import { usePatchProject } from './use-patch-project.ts';
import { useProjectAction } from './use-project-action.ts';

interface ProjectHeaderProps {
  project: Project;
  /** beside the menu: the most frequent actions of this page */
  actions: ReactNode;
  /** called when the project has been moved to the trash */
  onDeleted: () => void;
  onCopied: (copy: Project) => void;
  onReport: () => void;
  onCompare: () => void;
}

/** Name, verdict, part, tags and state, and the actions on the project as a whole. */
export function ProjectHeader({
  project,
  actions,
  onDeleted,
  onCopied,
  onReport,
  onCompare,
}: ProjectHeaderProps) {
  const patch = usePatchProject(project.id);
  const { attempt, run } = useProjectAction();
  const [dialog, setDialog] = useState<'edit' | 'copy' | 'move' | null>(null);
  const destination = dialog === 'copy' || dialog === 'move' ? dialog : null;
  const workspaces = useQuery({
    ...workspaceOptions(project.organizationId),
    enabled: destination !== null,
  }).data?.results;
  const editReason = reasonAgainst(project, 'edit');

  const change = (changes: ProjectPatch, what: string) =>
    patch.mutate(changes, {
      onError: (error) => {
        if (hasCode(error, 'PRECONDITION_FAILED'))
          notifications.show({
            color: 'yellow',
            title: 'This project was changed by someone else',
            message: `${what} was not changed. The page now shows what they saved. Check it, and repeat your change if you still want it.`,
            autoClose: 12_000,
          });
        else notifyFailure(error);
      },
    });
  const act = (action: ProjectMenuAction) => {
    if (action === 'edit' || action === 'copy' || action === 'move') setDialog(action);
    if (action === 'archive') void run(archive, project);
    if (action === 'restore') void run(restore, project);
    if (action === 'delete') {
      const removeAndLeave = async () => {
        const undo = await remove.run(project);
        onDeleted();
        return undo;
      };
      void run({ ...remove, run: removeAndLeave }, project);
    }
  };
  return (
    <Group component="header" justify="space-between" gap="xs" px="md" py={8} className={classes.header}>
      <Group gap="md" wrap="nowrap" className={classes.words}>
        <InlineName
          name={project.name}
          reason={editReason}
          onRename={(name) => change({ name }, 'The name')}
        />
        {project.verdict !== null && (
          <Box flex="none" className={classes.verdictSlot}>
            <Link
              to="/projects/$projectId"
              params={{ projectId: project.id }}
              search={{ characteristic: project.leadingCharacteristic?.id }}
              className={classes.verdict}
            >
              <VerdictBadge verdict={project.verdict} leading={project.leadingCharacteristic} />
            </Link>
          </Box>
        )}
        {project.state !== 'active' && (
          <Badge variant="light" color="gray" size="sm" tt="none">
            {project.state}
          </Badge>
        )}
        <Facts project={project} />
        <Box visibleFrom="sm" className={classes.giveWay}>
          <ProjectTags
            tags={project.tags}
            reason={editReason}
            onChange={(tags) => change({ tags }, 'The tags')}
          />
        </Box>
      </Group>
      <Group gap="xs" wrap="nowrap">
        {actions}
        <ProjectMenu project={project} onAction={act} onReport={onReport} onCompare={onCompare} />
      </Group>
      <DetailsDialog
        project={project}
        opened={dialog === 'edit'}
        onClose={() => setDialog(null)}
        onSave={(changes) => change(changes, 'The details')}
      />
      <DestinationDialog
        question={destination && workspaces ? askPlace(destination, project) : null}
        workspaces={workspaces ?? []}
        onClose={() => setDialog(null)}
        onChoose={async (workspaceId, name) => {
          await attempt(
            destination === 'copy' ? copyTo(workspaceId, name, onCopied) : moveTo(workspaceId, name),
            project,
          );
          setDialog(null);
        }}
      />
    </Group>
  );
}

/** Part number, serial number and lot. */
function Facts({ project }: { project: Project }) {
  const facts = [
    { label: 'Part', value: project.partNumber },
    { label: 'Serial', value: project.serialNumber },
    { label: 'Lot', value: project.lot },
  ].filter(({ value }) => value !== null && value !== '');
  return facts.length === 0 ? null : (
    <div className={classes.factRow}>
      {facts.map(({ label, value }) => (
        <span key={label} className={classes.facts} title={`${label} ${value}`}>
          {label} <b>{value}</b>
        </span>
      ))}
    </div>
  );
}
