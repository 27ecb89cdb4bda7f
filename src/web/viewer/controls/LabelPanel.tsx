import { type FormEvent, useState } from 'react';
import { describeLabel, describePlace } from '#contract/shapes/label-words.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import inputStyles from './inputs.module.css';
import panelStyles from './panel.module.css';

interface LabelPanelProps {
  model: ViewerModel;
  /** pins a note to the cursor; returns false if the limit is reached */
  onNote: (note: string) => boolean;
}

/**
 * The pinned labels as a list, each with a link to its position and a button to remove it; and a field for a note at
 * the cursor.
 */
export function LabelPanel({ model, onNote }: LabelPanelProps) {
  const { labels } = useSignal(model.store.signal);
  const [note, setNote] = useState('');
  const pin = (event: FormEvent) => {
    event.preventDefault();
    if (note.trim() !== '' && onNote(note.trim())) setNote('');
  };
  return (
    <div className={panelStyles['panel']}>
      <form className={panelStyles['noteForm']} onSubmit={pin}>
        <input
          type="text"
          aria-label="Note at the cursor"
          placeholder="Note at the cursor"
          maxLength={200}
          value={note}
          onChange={(event) => setNote(event.currentTarget.value)}
        />
        <button type="submit" className={inputStyles['textButton']} disabled={note.trim() === ''}>
          Pin
        </button>
      </form>
      <ol className={panelStyles['labels']}>
        {labels.map((label, i) => {
          const [first, second] = describeLabel(label);
          return (
            <li key={label.pointMm.join()}>
              <button
                type="button"
                className={inputStyles['textButton']}
                title={`Move slices to ${label.title} at ${describePlace(label.pointMm)}`}
                onClick={() => model.setCursorWorld(label.pointMm)}
              >
                {i + 1} <strong>{first}</strong> <span>{second}</span>
              </button>
              <button
                type="button"
                className={inputStyles['iconButton']}
                aria-label={`Remove label ${i + 1}`}
                title={`Remove label ${i + 1}`}
                onClick={() => model.store.update({ labels: labels.filter((_, each) => each !== i) })}
              >
                ×
              </button>
            </li>
          );
        })}
      </ol>
      {labels.length > 1 ? (
        <button
          type="button"
          className={inputStyles['textButton']}
          onClick={() => model.store.update({ labels: [] })}
        >
          Remove all
        </button>
      ) : null}
    </div>
  );
}
