import type { ReactNode } from 'react';
import { Splitter } from '../panes/Splitter.tsx';
import classes from './compare.module.css';

export interface PaneFrameProps {
  title: string;
  aside: ReactNode;
  /** why nothing is visible; null = the picture is shown */
  notice: string | null;
  /** visible share of the second scan, and the handler of its line; null without a line */
  swipe: { share: number; onShare: (share: number) => void } | null;
}

/** The frame of a pane in a comparison: header, swipe line, and a message in place of a missing picture. */
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
