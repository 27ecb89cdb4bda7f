import { Group, Text } from '@mantine/core';
import { Link, useMatches } from '@tanstack/react-router';
import { createContext, Fragment, type ReactNode, useContext, useEffect, useState } from 'react';
import classes from './breadcrumb.module.css';

declare module '@tanstack/react-router' {
  interface StaticDataRouteOption {
    /** title of the route in the breadcrumb and in the window title */
    crumb?: string;
  }
}

const CrumbContext = createContext<(crumb: string | null) => void>(() => {});

interface CrumbProviderProps {
  children: (crumb: string | null) => ReactNode;
}

/** Holds the name that the page adds to the end of the breadcrumb. */
export function CrumbProvider({ children }: CrumbProviderProps) {
  const [crumb, setCrumb] = useState<string | null>(null);
  return <CrumbContext value={setCrumb}>{children(crumb)}</CrumbContext>;
}

/** Adds the name of what the page shows (a project) to the end of the breadcrumb while the page is open. */
export function useCrumb(crumb: string | null | undefined): void {
  const setCrumb = useContext(CrumbContext);
  useEffect(() => {
    setCrumb(crumb ?? null);
    return () => setCrumb(null);
  }, [crumb, setCrumb]);
}

/** The titles of the matched routes, then the name of what the page shows. */
export function Breadcrumb({ last }: { last: string | null }) {
  const matches = useMatches();
  const places = matches.flatMap(({ pathname, staticData }) =>
    staticData.crumb === undefined ? [] : [{ to: pathname, name: staticData.crumb }],
  );
  const names = [...places.map(({ name }) => name), ...(last === null ? [] : [last])];
  const title = [...names.toReversed(), 'Scanwright'].join(' · ');
  useEffect(() => {
    document.title = title;
  }, [title]);
  return (
    <Group component="nav" aria-label="Breadcrumb" gap={6} wrap="nowrap" className={classes.breadcrumb}>
      {places.map(({ to, name }, index) => (
        <Fragment key={to}>
          {index > 0 && <Separator />}
          {index === names.length - 1 ? (
            <Text span size="md" aria-current="page">
              {name}
            </Text>
          ) : (
            <Link to={to} className={classes.link}>
              {name}
            </Link>
          )}
        </Fragment>
      ))}
      {last !== null && (
        <>
          <Separator />
          <Text span size="md" truncate aria-current="page">
            {last}
          </Text>
        </>
      )}
    </Group>
  );
}

const Separator = () => (
  <Text span size="md" c="dimmed" aria-hidden>
    ›
  </Text>
);
