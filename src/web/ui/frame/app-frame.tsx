import { AppShell, Group, Stack, Text, Tooltip, UnstyledButton } from '@mantine/core';
import { useLocalStorage, useMediaQuery } from '@mantine/hooks';
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand } from '@tabler/icons-react';
import { Link, type LinkProps } from '@tanstack/react-router';
import { type ComponentType, createContext, type ReactNode, useContext } from 'react';
import classes from './app-frame.module.css';

const railWidthPx = { open: 208, closed: 52 };
export const topHeightPx = 44;

const RailContext = createContext({ collapsed: false });

interface AppFrameProps {
  /** at the top of the sidebar: the open organization */
  switcher: (collapsed: boolean) => ReactNode;
  rail: ReactNode;
  railEnd: ReactNode;
  /** left side of the top bar */
  breadcrumb: ReactNode;
  /** right side of the top bar */
  tools: ReactNode;
  children: ReactNode;
}

/** Sidebar, top bar and content; the sidebar remembers whether it is collapsed. */
export function AppFrame({ switcher, rail, railEnd, breadcrumb, tools, children }: AppFrameProps) {
  const narrow = useMediaQuery('(max-width: 900px)', false, { getInitialValueInEffect: false });
  const [folded, setFolded] = useLocalStorage({
    key: 'scanwright.rail-folded',
    defaultValue: false,
    getInitialValueInEffect: false,
  });
  const collapsed = folded || narrow === true;
  const fold = collapsed ? 'Expand sidebar' : 'Collapse sidebar';
  return (
    <RailContext value={{ collapsed }}>
      <a href="#content" className="skip-link">
        Skip to the content
      </a>
      <AppShell
        layout="alt"
        header={{ height: topHeightPx }}
        navbar={{ width: collapsed ? railWidthPx.closed : railWidthPx.open, breakpoint: 0 }}
        transitionDuration={0}
        padding={0}
      >
        <AppShell.Navbar className={classes.rail} data-collapsed={collapsed || undefined} aria-label="Main">
          <div className={classes.switcher}>{switcher(collapsed)}</div>
          <Stack gap={2} className={classes.items}>
            {rail}
          </Stack>
          <Stack gap={2} className={classes.end}>
            {railEnd}
            {narrow !== true && (
              <RailButton
                icon={collapsed ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse}
                label={fold}
                onClick={() => setFolded(!folded)}
              />
            )}
          </Stack>
        </AppShell.Navbar>
        <AppShell.Header className={classes.top}>
          <Group h="100%" px="md" justify="space-between" wrap="nowrap" gap="md">
            {breadcrumb}
            <Group gap="xs" wrap="nowrap" flex="none">
              {tools}
            </Group>
          </Group>
        </AppShell.Header>
        <AppShell.Main id="content" tabIndex={-1} className={classes.main}>
          {children}
        </AppShell.Main>
      </AppShell>
    </RailContext>
  );
}

type Icon = ComponentType<{ size?: number; stroke?: number }>;

interface RailContentProps {
  icon: Icon;
  label: string;
  aside?: ReactNode;
}

function RailContent({ icon: Icon, label, aside }: RailContentProps) {
  const { collapsed } = useContext(RailContext);
  return (
    <>
      <Icon size={18} stroke={1.6} aria-hidden />
      {!collapsed && (
        <Text span size="md" truncate style={{ flex: 1 }}>
          {label}
        </Text>
      )}
      {aside}
    </>
  );
}

function RailTip({ label, children }: { label: string; children: ReactNode }) {
  const { collapsed } = useContext(RailContext);
  return (
    <Tooltip label={label} position="right" disabled={!collapsed}>
      {children}
    </Tooltip>
  );
}

/** A link of the sidebar; the current page's link is marked. */
export function RailLink({ to, ...content }: RailContentProps & { to: LinkProps['to'] }) {
  const { collapsed } = useContext(RailContext);
  return (
    <RailTip label={content.label}>
      <Link
        to={to}
        className={classes.item}
        activeProps={{ 'data-active': true }}
        activeOptions={{ includeSearch: false }}
        aria-label={collapsed ? content.label : undefined}
      >
        <RailContent {...content} />
      </Link>
    </RailTip>
  );
}

/** A button of the sidebar. Accepts the properties that Menu.Target and Popover.Target pass. */
export function RailButton({
  icon,
  label,
  aside,
  className,
  ...rest
}: RailContentProps & React.ComponentProps<'button'>) {
  return (
    <RailTip label={label}>
      <UnstyledButton className={`${classes.item} ${className ?? ''}`} aria-label={label} {...rest}>
        <RailContent icon={icon} label={label} aside={aside} />
      </UnstyledButton>
    </RailTip>
  );
}
