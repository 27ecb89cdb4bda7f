import { Button, CopyButton, Text } from '@mantine/core';
import { IconCheck, IconLink } from '@tabler/icons-react';
import classes from './sharing.module.css';
import { chooseColour } from './sharing.ts';
import type { SharedViewModel } from './use-shared-view.ts';

/** Link at which colleagues who may see the project can follow the view. */
const linkTo = (projectId: string, presenterId: string): string =>
  `${window.location.origin}/projects/${projectId}?live=${presenterId}`;

/** Above the viewer while a view is presented or followed: participants, the link, and a button to leave. */
export function SharedViewBar({ shared, projectId }: { shared: SharedViewModel; projectId: string }) {
  const { session, presenterId, isPresenting, leave } = shared;
  if (presenterId === null) return null;
  const people = session.followers.map(({ id, name }) => <Person key={id} id={id} name={name} />);
  return (
    <section className={classes.bar} aria-label="Shared view">
      <div className={classes.people} aria-live="polite">
        {isPresenting ? (
          <>
            <Text span fw={600}>
              You are presenting your view
            </Text>
            {people.length > 0 ? people : <Text span>Nobody is watching yet.</Text>}
          </>
        ) : session.hasEnded ? (
          <Text span fw={600}>
            {session.presenter?.name ?? 'The presenter'} has ended the shared view.
          </Text>
        ) : session.presenter ? (
          <>
            <Text span fw={600}>
              You follow
            </Text>
            <Person id={presenterId} name={session.presenter.name} />
          </>
        ) : (
          <Text span>Waiting for the presenter. Your view follows as soon as presenting starts.</Text>
        )}
      </div>
      {isPresenting && (
        <CopyButton value={linkTo(projectId, presenterId)}>
          {({ copied, copy }) => (
            <Button
              size="compact-sm"
              variant="default"
              leftSection={copied ? <IconCheck size={14} aria-hidden /> : <IconLink size={14} aria-hidden />}
              onClick={copy}
            >
              {copied ? 'Link copied' : 'Copy link'}
            </Button>
          )}
        </CopyButton>
      )}
      <Button size="compact-sm" variant="default" onClick={leave}>
        {isPresenting ? 'End' : 'Leave'}
      </Button>
    </section>
  );
}

const Person = ({ id, name }: { id: string; name: string }) => (
  <span className={classes.person}>
    <i aria-hidden style={{ background: chooseColour(id) }} />
    {name}
  </span>
);
