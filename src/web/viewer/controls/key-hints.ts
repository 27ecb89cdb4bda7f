import { capitalised } from '#contract/base/format-number.ts';
import type { KeyHint } from '#web/ui/commands.ts';

type Groups = readonly [string, readonly [string, string][]][];

const groups: Groups = [
  [
    'Viewer: slices',
    [
      ['Wheel, Page up / down', 'next slice (Shift: ten)'],
      ['Drag, arrows', 'move the cursor'],
      ['Ctrl + wheel, + −', 'zoom'],
      ['Shift + drag, middle button', 'move the picture'],
      ['Right button', 'brightness, contrast'],
      ['C', 'cut the part open along the slice in 3D'],
    ],
  ],
  [
    'Viewer: oblique plane',
    [
      ['Drag its line, its dots', 'move it, turn it'],
      ['W S, A D', 'tilt by 1° (Shift: ten)'],
      ['Q E', 'turn the picture'],
    ],
  ],
  [
    'Viewer: 3D',
    [
      ['Drag, arrows', 'turn'],
      ['Shift or right button + drag', 'move'],
      ['Alt + drag', 'turn about the line of sight'],
      ['Wheel, + −', 'zoom'],
      ['Click', 'move slices there'],
      ['Drag the dots of a plane or the box', 'move it, tilt it'],
      ['C, X', 'cut at the cursor across the line of sight, clip box'],
    ],
  ],
  [
    'Viewer',
    [
      ['F, double click', 'one pane, all panes'],
      ['Drag a line, arrows on it', 'sizes of the panes'],
      ['Two fingers', 'zoom, move'],
      ['Home', 'fit'],
      ['1 2 3', 'cursor, move, contrast'],
      ['Esc', 'leave the pane'],
    ],
  ],
  [
    'Viewer: measuring',
    [
      ['Click, Enter at the cursor', 'place a point'],
      ['Backspace', 'remove the last point'],
      ['Ctrl + Z, Ctrl + Shift + Z', 'undo, redo'],
      ['S', 'save'],
      ['Esc', 'end'],
    ],
  ],
];

const compareGroups: Groups = [
  [
    'Comparison: slices',
    [
      ['Wheel, Page up / down', 'next slice (Shift: ten)'],
      ['Drag, arrows', 'move the cursor'],
      ['Ctrl + wheel, + −', 'zoom'],
      ['Shift + drag, middle button', 'move the picture'],
    ],
  ],
  [
    'Comparison: 3D',
    [
      ['Drag, arrows', 'turn'],
      ['Shift or right button + drag, Shift + arrows', 'move'],
      ['Wheel, + −', 'zoom'],
    ],
  ],
  [
    'Comparison',
    [
      ['Two fingers', 'zoom, move'],
      ['Home', 'fit'],
    ],
  ],
];

const listHints = (groups: Groups): readonly KeyHint[] =>
  groups.flatMap(([group, keys]) =>
    keys.map(([key, label]) => ({ group, keys: key, label: capitalised(label) })),
  );

/** Entries for the page's shortcut list. */
export const keyHints = listHints(groups);
export const compareKeyHints = listHints(compareGroups);
