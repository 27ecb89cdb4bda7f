import {
  IconAdjustments,
  IconArrowsMove,
  IconBlur,
  IconCamera,
  IconContrast,
  IconContrast2,
  IconCrosshair,
  IconCube3dSphere,
  IconKeyboard,
  IconLayoutGrid,
  IconRefresh,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import type { ViewState } from '#contract/shapes/view-state.ts';
import { decimalsFor, fixed } from '../overlay/format-number.ts';
import { useSignal } from '../state/signal.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from '../viewer.module.css';
import { IconButton } from './IconButton.tsx';
import { KeyList } from './KeyList.tsx';
import { Popover } from './Popover.tsx';
import { SurfacePanel } from './SurfacePanel.tsx';
import { VolumePanel } from './VolumePanel.tsx';
import { WindowPanel } from './WindowPanel.tsx';

interface ToolbarProps {
  model: ViewerModel;
  /** room for the page's own actions, such as “Bookmark” */
  actions?: ReactNode;
  onCapture: () => void;
}

const layouts: readonly [ViewState['layout'], string][] = [
  ['xy', 'XY'],
  ['xz', 'XZ'],
  ['yz', 'YZ'],
  ['3d', '3D'],
];

export function Toolbar({ model, actions, onCapture }: ToolbarProps) {
  const { layout, smooth } = useSignal(model.store.signal);
  const tool = useSignal(model.tool);
  useSignal(model.revision);
  const window_ = model.window();
  const decimals = /^float/.test(model.volume?.dataType ?? '') ? decimalsFor(window_.width / 200) : 0;
  const show = (next: ViewState['layout']) => model.store.update({ layout: next });
  return (
    <div className={styles['toolbar']} role="toolbar" aria-label="Viewer">
      <div className={styles['group']}>
        <IconButton label="All panes" pressed={layout === 'grid'} onClick={() => show('grid')}>
          <IconLayoutGrid size={16} />
        </IconButton>
        {layouts.map(([name, title]) => (
          <IconButton
            key={name}
            label={`Show ${title} alone`}
            pressed={layout === name}
            onClick={() => show(name)}
          >
            {title}
          </IconButton>
        ))}
      </div>
      <div className={styles['group']}>
        <IconButton
          label="Drag moves the cursor, in 3D turns the part"
          keys="1"
          pressed={tool === 'cursor'}
          onClick={() => model.tool.set('cursor')}
        >
          <IconCrosshair size={16} />
        </IconButton>
        <IconButton
          label="Drag moves the picture (also Shift)"
          keys="2"
          pressed={tool === 'pan'}
          onClick={() => model.tool.set('pan')}
        >
          <IconArrowsMove size={16} />
        </IconButton>
        <IconButton
          label="Drag changes contrast and brightness (also the right button)"
          keys="3"
          pressed={tool === 'window'}
          onClick={() => model.tool.set('window')}
        >
          <IconContrast size={16} />
        </IconButton>
      </div>
      {model.volume ? (
        <Popover
          label="Grey values"
          button={
            <>
              <IconContrast2 size={16} aria-hidden="true" />
              <span className={styles['wide']}>Level</span> {fixed(window_.center, decimals)}
              <span className={styles['wide']}>Width</span> {fixed(window_.width, decimals)}
            </>
          }
        >
          <WindowPanel model={model} />
        </Popover>
      ) : null}
      <IconButton
        label="Smooth between voxels"
        pressed={smooth}
        disabled={!model.volume}
        onClick={() => model.store.update({ smooth: !smooth })}
      >
        <IconBlur size={16} />
      </IconButton>
      {model.surface ? (
        <Popover
          label="Surface"
          button={
            <>
              <IconAdjustments size={16} aria-hidden="true" />
              <span className={styles['wide']}>Surface</span>
            </>
          }
        >
          <SurfacePanel model={model} />
        </Popover>
      ) : null}
      {model.volume ? (
        <Popover
          label="Volume in 3D"
          align="end"
          button={
            <>
              <IconCube3dSphere size={16} aria-hidden="true" />
              <span className={styles['wide']}>Volume</span>
            </>
          }
        >
          <VolumePanel model={model} />
        </Popover>
      ) : null}
      <span className={styles['grow']} />
      {actions}
      <IconButton
        label="Reset view"
        onClick={() =>
          model.store.update({ camera: null, planes: null, cursorMm: null, window: null, clip: null })
        }
      >
        <IconRefresh size={16} />
      </IconButton>
      <IconButton label="Save a picture" onClick={onCapture}>
        <IconCamera size={16} />
      </IconButton>
      <Popover
        label="Keys and mouse"
        align="end"
        button={<IconKeyboard size={16} aria-label="Keys and mouse" />}
      >
        <KeyList />
      </Popover>
    </div>
  );
}
