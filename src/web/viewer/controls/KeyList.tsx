import styles from '../viewer.module.css';

const groups: readonly [string, readonly [string, string][]][] = [
  [
    'Slices',
    [
      ['Wheel, Page up / down', 'next slice (Shift: ten)'],
      ['Drag, arrows', 'move the cursor'],
      ['Ctrl + wheel, + −', 'zoom'],
      ['Shift + drag, middle button', 'move the picture'],
      ['Right button', 'brightness, contrast'],
    ],
  ],
  [
    '3D',
    [
      ['Drag, arrows', 'turn'],
      ['Shift or right button + drag', 'move'],
      ['Alt + drag', 'turn about the line of sight'],
      ['Wheel, + −', 'zoom'],
      ['Click', 'slices go there'],
    ],
  ],
  [
    'All',
    [
      ['M, double click', 'one pane, all panes'],
      ['Home', 'fit'],
      ['1 2 3', 'cursor, move, contrast'],
      ['Esc', 'leave the pane'],
    ],
  ],
];

export function KeyList() {
  return (
    <div className={styles['keys']}>
      {groups.map(([title, keys]) => (
        <section key={title}>
          <p className={styles['keysTitle']}>{title}</p>
          <dl>
            {keys.map(([key, meaning]) => (
              <div key={key}>
                <dt>{key}</dt>
                <dd>{meaning}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </div>
  );
}
