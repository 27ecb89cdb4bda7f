import { IconX } from '@tabler/icons-react';
import { type ReactNode, useEffect, useRef } from 'react';
import type { ViewerModel } from '../state/viewer-model.ts';
import { ClipPanel } from './ClipPanel.tsx';
import { IconButton } from './IconButton.tsx';
import inputStyles from './inputs.module.css';
import { LabelPanel } from './LabelPanel.tsx';
import { ObliquePanel } from './ObliquePanel.tsx';
import panelStyles from './panel.module.css';
import { SurfacePanel } from './SurfacePanel.tsx';
import { VolumePanel } from './VolumePanel.tsx';
import { WindowPanel } from './WindowPanel.tsx';

const titles = {
  window: 'Grey values',
  oblique: 'Oblique plane',
  surface: 'Surface',
  volume: 'Volume in 3D',
  clips: 'Cut open in 3D',
  labels: 'Pinned labels',
};
export type PanelName = keyof typeof titles;

/** Whether the panel has anything to change. */
export function hasPanel({ volume, surface, webgl }: ViewerModel, name: PanelName): boolean {
  if (webgl.get() === 'no' && (name === 'volume' || name === 'clips')) return false;
  if (name === 'surface') return surface !== null;
  if (name === 'clips' || name === 'labels') return volume !== null || surface !== null;
  return volume !== null;
}

/** Id of the button of a panel; it gets the focus back when the panel is closed by a key. */
const buttonId = (name: PanelName) => `viewer-panel-${name}`;

interface PanelButtonProps {
  model: ViewerModel;
  name: PanelName;
  open: PanelName | null;
  onOpen: (name: PanelName | null) => void;
  children: ReactNode;
}

export function PanelButton({ model, name, open, onOpen, children }: PanelButtonProps) {
  if (!hasPanel(model, name)) return null;
  return (
    <button
      id={buttonId(name)}
      type="button"
      className={inputStyles['textButton']}
      aria-expanded={open === name}
      title={titles[name]}
      onClick={() => onOpen(open === name ? null : name)}
    >
      {children}
    </button>
  );
}

interface PanelDockProps {
  model: ViewerModel;
  name: PanelName;
  onClose: () => void;
  /** pins a note to the cursor; returns false if the limit is reached */
  onNote: (note: string) => boolean;
}

/** A panel of settings beside the picture, which stays visible, as large, and usable. */
export function PanelDock({ model, name, onClose, onNote }: PanelDockProps) {
  const root = useRef<HTMLElement>(null);
  // In the page's order it is far from its button.
  useEffect(() => root.current?.focus(), []);
  const close = () => {
    root.current?.ownerDocument.getElementById(buttonId(name))?.focus();
    onClose();
  };
  return (
    <section
      ref={root}
      tabIndex={-1}
      aria-label={titles[name]}
      className={panelStyles['dock']}
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        event.stopPropagation();
        close();
      }}
    >
      <header className={panelStyles['dockHead']}>
        {titles[name]}
        <IconButton label={`Close “${titles[name]}”`} onClick={close}>
          <IconX size={15} />
        </IconButton>
      </header>
      {name === 'window' ? <WindowPanel model={model} /> : null}
      {name === 'oblique' ? <ObliquePanel model={model} /> : null}
      {name === 'surface' ? <SurfacePanel model={model} /> : null}
      {name === 'volume' ? <VolumePanel model={model} /> : null}
      {name === 'clips' ? <ClipPanel model={model} /> : null}
      {name === 'labels' ? <LabelPanel model={model} onNote={onNote} /> : null}
    </section>
  );
}
