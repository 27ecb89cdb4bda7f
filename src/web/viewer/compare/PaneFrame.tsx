import type { ReactNode } from 'react';
import { Splitter } from '../panes/Splitter.tsx';
import classes from './compare.module.css';

export interface PaneFrameProps {
  title: string;
  aside: ReactNode;
  /** why nothing is seen; null = all is */
  notice: string | null;
  /** how much of the second is seen, and who hears where its line is moved; null where there is no line */
  swipe: { share: number; onShare: (share: number) => void } | null;
}

/** What all panes of a comparison have: their head, the line of a swipe, and a sentence where there is no picture. */
export function PaneFrame({
  title,
  aside,
  notice,
  swipe,
  isScene = false,
  children,
}: PaneFrameProps & { isScene?: boolean; children: ReactNode }) {
  return (
    <section className={classes.pane} aria-label={title} data-scene={isScene || undefined}>
      <header className={classes.head}>
        <span className={classes.title} title={title}>
          {title}
        </span>
        {aside}
      </header>
      <div className={classes.body} data-scene={isScene || undefined}>
        {children}
        {swipe && (
          <Splitter
            label="Swipe line"
            orientation="vertical"
            value={1 - swipe.share}
            least={0}
            most={1}
            reach={[0, 1]}
            onMove={(from) => swipe.onShare(1 - from)}
            onReset={() => swipe.onShare(0.5)}
          />
        )}
        {notice === null ? null : <p className={classes.notice}>{notice}</p>}
      </div>
    </section>
  );
}
