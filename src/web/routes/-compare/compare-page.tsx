import { ActionIcon, Button, Group, Popover, Select, Stack, Tooltip } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { IconBookmarkPlus, IconExternalLink, IconPlus, IconX } from '@tabler/icons-react';
import { useSuspenseQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type RefObject, useEffect, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { analyses } from '#contract/analyses/registry.ts';
import { maxComparedScans } from '#contract/shapes/view-state.ts';
import { readMeOptions } from '#web/api/generated/@tanstack/react-query.gen.ts';
import { SaveBookmark } from '#web/features/bookmarks/bookmark-button.tsx';
import { reasonAgainst } from '#web/features/projects/capability.ts';
import { ProjectSelect } from '#web/features/recipes/project-select.tsx';
import { openOrganization } from '#web/features/session/organizations.ts';
import { ActionButton } from '#web/ui/action-button.tsx';
import { EmptyState } from '#web/ui/empty-state.tsx';
import { PageHeader } from '#web/ui/page-header.tsx';
import { useStillHere } from '#web/ui/use-still-here.ts';
import type { CompareViewHandle } from '#web/viewer/compare/CompareView.tsx';
import { type CompareLook, roundLook, writeLook } from '#web/viewer/compare/compare-look.ts';
import type { KeptView } from '#web/viewer/ScanViewer.tsx';
import { settleMs } from '#web/viewer/state/view-store.ts';
import { CompareBar, useBlinking } from './compare-bar.tsx';
import classes from './compare-page.module.css';
import { type CompareSearch, formatCompared } from './compare-search.ts';
import { CompareStage } from './compare-stage.tsx';
import { type ScanOfProject, useComparedScans } from './use-compared-scans.ts';

interface ComparePageProps {
  search: CompareSearch;
  onSearch: (search: CompareSearch, options?: { replace: boolean }) => void;
}

/** The look stored in the address. The local state is ahead of the address while something moves. */
function useLook(search: CompareSearch, onSearch: ComparePageProps['onSearch']) {
  const { projects, ...inAddress } = search;
  const [look, setLook] = useState<CompareLook>(inAddress);
  const written = useRef(JSON.stringify(inAddress));
  const text = JSON.stringify(inAddress);
  const latest = useRef({ projects, onSearch });
  latest.current = { projects, onSearch };
  const isStillHere = useStillHere();
  useEffect(() => {
    // The user went back or followed a link.
    if (text === written.current) return;
    written.current = text;
    setLook(JSON.parse(text));
  }, [text]);
  useEffect(() => {
    const timer = setTimeout(() => {
      const next = JSON.stringify(look);
      if (next === written.current || !isStillHere()) return;
      written.current = next;
      latest.current.onSearch({ ...look, projects: latest.current.projects }, { replace: true });
    }, settleMs);
    return () => clearTimeout(timer);
  }, [look, isStillHere]);
  const change = (part: Partial<CompareLook>) =>
    setLook((before) => roundLook(dropUndefined({ ...before, ...part })));
  return { look, change };
}

/** Drops undefined values: the address does not contain them, and the two looks are compared as JSON text. */
const dropUndefined = (look: CompareLook): CompareLook =>
  Object.fromEntries(Object.entries(look).filter(([, value]) => value !== undefined));

/** Scans of several projects, side by side or overlaid. */
export function ComparePage({ search, onSearch }: ComparePageProps) {
  const scans = useComparedScans(search.projects);
  const { look, change } = useLook(search, onSearch);
  const blinking = useBlinking(look, change);
  const put = (projects: string[]) => onSearch({ ...look, projects });
  // biome-ignore lint/correctness/useExhaustiveDependencies: other scans come with another address
  const shown = useMemo(
    () =>
      scans.map(({ text, known, scan }) => ({
        ...scan,
        aside: (
          <PaneActions
            known={known}
            onChange={(next) => put(search.projects.map((each) => (each === text ? next : each)))}
            onRemove={() => put(search.projects.filter((each) => each !== text))}
          />
        ),
      })),
    [scans],
  );
  const view = useRef<CompareViewHandle>(null);
  const [aspect, setAspect] = useState<number | null>(null);
  const known = scans.flatMap((each) => each.known ?? []);
  const add = (projectId: string) => {
    const added = chooseAdded(projectId, known);
    if (added === null) notifications.show({ message: 'All scans of this project are compared already' });
    else put([...new Set([...search.projects, added])]);
  };
  return (
    <div className={classes.page}>
      <div className={classes.head}>
        <PageHeader
          title="Compare"
          aside={scans.length > 0 ? `${scans.length} ${scans.length === 1 ? 'scan' : 'scans'}` : undefined}
          actions={
            <>
              <Deviation known={known} />
              <KeepComparison look={look} known={known} count={scans.length} view={view} />
              <AddScan
                reason={scans.length < maxComparedScans ? null : `At most ${maxComparedScans} at a time.`}
                onAdd={add}
              />
            </>
          }
        />
      </div>
      {scans.length === 0 ? (
        <EmptyState title="Nothing to compare yet">
          Select two to nine projects in the list and choose “Compare…”, or add scans here.
        </EmptyState>
      ) : (
        <>
          <CompareBar {...{ look, known, blinking, aspect }} scans={shown} onLook={change} />
          <CompareStage
            scans={shown}
            look={look}
            onLook={change}
            isOther={blinking.isOther}
            onAspect={setAspect}
            ref={view}
          />
        </>
      )}
    </div>
  );
}

/** The newest scan of a project that is not compared yet; null = all of its scans are compared. */
function chooseAdded(projectId: string, known: readonly ScanOfProject[]): string | null {
  const own = known.filter(({ compared }) => compared.projectId === projectId);
  const [one] = own;
  if (!one) return projectId;
  const next = one.volumes.find(({ id }) => own.every(({ volume }) => volume.id !== id));
  return next ? formatCompared({ projectId, volumeId: next.id }) : null;
}

/** In the header of a pane: volume selection, link to the project, and removal. */
function PaneActions({
  known,
  onChange,
  onRemove,
}: {
  known: ScanOfProject | null;
  onChange: (text: string) => void;
  onRemove: () => void;
}) {
  return (
    <Group gap={4} wrap="nowrap">
      {known && known.volumes.length > 1 && (
        <Select
          size="xs"
          w={150}
          aria-label={`Volume of ${known.project.name}`}
          allowDeselect={false}
          data={known.volumes.map(({ id, name }) => ({ value: id, label: name }))}
          value={known.volume.id}
          onChange={(volumeId) =>
            volumeId !== null && onChange(formatCompared({ ...known.compared, volumeId }))
          }
        />
      )}
      {known && (
        <Tooltip label="Open the project">
          <ActionIcon
            size="sm"
            aria-label={`Open ${known.project.name}`}
            renderRoot={(props) => (
              <Link {...props} to="/projects/$projectId" params={{ projectId: known.compared.projectId }} />
            )}
          >
            <IconExternalLink size={14} aria-hidden />
          </ActionIcon>
        </Tooltip>
      )}
      <Tooltip label="Remove from the comparison">
        <ActionIcon
          size="sm"
          aria-label={`Remove ${known?.scan.title ?? 'it'} from the comparison`}
          onClick={onRemove}
        >
          <IconX size={14} aria-hidden />
        </ActionIcon>
      </Tooltip>
    </Group>
  );
}

/** Saves the comparison as a bookmark of the first project that the user may edit. */
function KeepComparison({
  look,
  known,
  count,
  view,
}: {
  look: CompareLook;
  known: readonly ScanOfProject[];
  count: number;
  view: RefObject<CompareViewHandle | null>;
}) {
  const [opened, setOpened] = useState(false);
  const kept = useRef<KeptView>(null);
  useImperativeHandle(kept, () => ({
    state: () =>
      writeLook(
        look,
        known.map(({ compared: { projectId }, volume }) => ({ projectId, volumeId: volume.id })),
      ),
    capture: async (size) => {
      if (!view.current) throw new Error('The scans are not loaded yet.');
      return view.current.capture(size);
    },
  }));
  const home = known.find(({ project }) => reasonAgainst(project, 'edit') === null);
  const reason =
    count < 2
      ? 'Add a second scan first.'
      : known.length < count
        ? 'One of the scans is not loaded.'
        : home === undefined
          ? 'You can’t edit any of these projects.'
          : null;
  return (
    <>
      <ActionButton
        variant="default"
        leftSection={<IconBookmarkPlus size={14} aria-hidden />}
        reason={reason}
        onClick={() => setOpened(true)}
      >
        Save bookmark
      </ActionButton>
      {home && <SaveBookmark projectId={home.project.id} viewer={kept} opened={opened} onOpen={setOpened} />}
    </>
  );
}

function AddScan({ reason, onAdd }: { reason: string | null; onAdd: (projectId: string) => void }) {
  const { data: me } = useSuspenseQuery(readMeOptions());
  const organization = openOrganization(me, undefined);
  const [opened, setOpened] = useState(false);
  const [projectId, setProjectId] = useState<string | null>(null);
  if (organization === null) return null;
  return (
    <Popover opened={opened} onChange={setOpened} position="bottom-end" trapFocus closeOnClickOutside={false}>
      <Popover.Target>
        <Button
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={reason !== null}
          title={reason ?? undefined}
          onClick={() => setOpened(!opened)}
        >
          Add scan
        </Button>
      </Popover.Target>
      <Popover.Dropdown>
        <Stack gap="xs" w={300}>
          <ProjectSelect
            organizationId={organization.id}
            label="Project"
            value={projectId}
            onChange={setProjectId}
          />
          <Button
            data-sends
            disabled={projectId === null}
            onClick={() => {
              if (projectId !== null) onAdd(projectId);
              setProjectId(null);
              setOpened(false);
            }}
          >
            Add to the comparison
          </Button>
        </Stack>
      </Popover.Dropdown>
    </Popover>
  );
}

/** The first analysis that compares a surface with another. */
const comparison = analyses.find((analysis) => 'restsOn' in analysis && analysis.restsOn === 'deviation');

/** Opens the analysis form that measures the deviation of the first scan's surface from the second's. */
function Deviation({ known }: { known: readonly ScanOfProject[] }) {
  const [first, second] = known;
  if (!first || !second || !comparison) return null;
  const search = { run: comparison.key, source: first.volume.id, reference: second.volume.id };
  return (
    <Button
      variant="default"
      title="How far the surface of the first scan is from that of the second"
      renderRoot={(props) => (
        <Link
          {...props}
          to="/projects/$projectId"
          params={{ projectId: first.compared.projectId }}
          search={search}
        />
      )}
    >
      Deviation
    </Button>
  );
}
