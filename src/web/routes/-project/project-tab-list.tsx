import { Tabs, Text } from '@mantine/core';
import { useEffect, useRef } from 'react';
import { formatCount } from '#contract/base/format-number.ts';
import classes from './project-page.module.css';

interface ProjectTabListProps {
  /** the open tab, which is scrolled into view if the list is wider than the screen */
  tab: string;
  /** number of unfinished operations */
  running: number;
  counts: Record<'data' | 'operations' | 'bookmarks', number | undefined>;
}

export function ProjectTabList({ tab, running, counts }: ProjectTabListProps) {
  const list = useRef<HTMLDivElement>(null);
  // Each count makes its tab wider.
  const known = Object.values(counts).filter((count) => count !== undefined).length;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scrolls again when the tab changes or widens
  useEffect(() => {
    const open = list.current?.querySelector('[aria-selected="true"]');
    open?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
  }, [tab, known]);
  return (
    <Tabs.List ref={list} pl="md" className={classes.tabList}>
      <Tabs.Tab value="overview">Overview</Tabs.Tab>
      <Tabs.Tab value="data" rightSection={<Count value={counts.data} />}>
        Data
      </Tabs.Tab>
      <Tabs.Tab
        value="operations"
        rightSection={
          running > 0 ? (
            <Text span size="sm" c="var(--sw-running)">
              {formatCount(running)} running
            </Text>
          ) : (
            <Count value={counts.operations} />
          )
        }
      >
        Operations
      </Tabs.Tab>
      <Tabs.Tab value="recipes">Recipes</Tabs.Tab>
      <Tabs.Tab value="exports">Exports</Tabs.Tab>
      <Tabs.Tab value="bookmarks" rightSection={<Count value={counts.bookmarks} />}>
        Bookmarks
      </Tabs.Tab>
    </Tabs.List>
  );
}

function Count({ value }: { value: number | undefined }) {
  return value === undefined ? null : (
    <Text span size="sm" c="dimmed" className="numbers">
      {formatCount(value)}
    </Text>
  );
}
