import { ActionIcon, Text } from '@mantine/core';
import { IconChevronLeft, IconChevronRight, IconX } from '@tabler/icons-react';
import { useEffect, useRef } from 'react';
import classes from './bookmarks.module.css';
import type { StoryModel } from './use-story.ts';

const steps: Record<string, number> = { ArrowRight: 1, PageDown: 1, ' ': 1, ArrowLeft: -1, PageUp: -1 };

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && target.matches('input, textarea, select');

/**
 * Controls below the view while a story is presented. The arrow keys move through it wherever the focus is, Escape ends
 * it. It requests full screen; if the browser refuses, the view fills the window.
 */
export function Presenting({ story }: { story: StoryModel }) {
  const latest = useRef(story);
  latest.current = story;
  const bar = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    bar.current?.focus();
    const keys = (event: KeyboardEvent) => {
      const { index, bookmarks, goTo, end } = latest.current;
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
      // The space bar presses a focused button.
      if (event.key === ' ' && event.target instanceof HTMLButtonElement) return;
      const step = steps[event.key] ?? 0;
      if (step !== 0) goTo(index + step);
      else if (event.key === 'Home') goTo(0);
      else if (event.key === 'End') goTo(bookmarks.length - 1);
      else if (event.key === 'Escape') end();
      else return;
      event.preventDefault();
      event.stopPropagation();
    };
    // The page receives no key event when Escape leaves full screen.
    const left = () => document.fullscreenElement === null && latest.current.end();
    window.addEventListener('keydown', keys, true);
    document.addEventListener('fullscreenchange', left);
    void document.documentElement.requestFullscreen?.().catch(() => undefined);
    return () => {
      window.removeEventListener('keydown', keys, true);
      document.removeEventListener('fullscreenchange', left);
      if (document.fullscreenElement !== null) void document.exitFullscreen().catch(() => undefined);
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  const { index, bookmarks, goTo, end } = story;
  const shown = bookmarks[index];
  return (
    <section ref={bar} className={classes.presenting} aria-label="Presenting" tabIndex={-1}>
      <ActionIcon aria-label="Previous bookmark" disabled={index <= 0} onClick={() => goTo(index - 1)}>
        <IconChevronLeft size={18} aria-hidden />
      </ActionIcon>
      <Text span c="dimmed" className={classes.count}>
        {index + 1} / {bookmarks.length}
      </Text>
      <ActionIcon
        aria-label="Next bookmark"
        disabled={index >= bookmarks.length - 1}
        onClick={() => goTo(index + 1)}
      >
        <IconChevronRight size={18} aria-hidden />
      </ActionIcon>
      <div className={classes.caption} aria-live="polite">
        <Text span fw={600}>
          {shown?.name}
        </Text>
        {shown && shown.description !== '' && <p className={classes.text}>{shown.description}</p>}
      </div>
      <ActionIcon aria-label="End presenting" aria-keyshortcuts="Escape" onClick={end}>
        <IconX size={18} aria-hidden />
      </ActionIcon>
    </section>
  );
}
