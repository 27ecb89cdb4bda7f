import {
  IconAdjustments,
  IconArrowsMove,
  IconBlur,
  IconCamera,
  IconContrast,
  IconContrast2,
  IconCrosshair,
  IconCube3dSphere,
  IconLayoutGrid,
  IconLayoutSidebarRight,
  IconPin,
  IconRefresh,
  IconScissors,
  IconSlice,
  IconTable,
} from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { decimalsFor, fixed } from '#contract/base/format-number.ts';
import type { PaneLayout, PaneName } from '#kernels/grid/pane-layout.ts';
import { useKeyHints } from '#web/ui/commands.ts';
import { changeClips } from '../state/clips.ts';
import { useSignal } from '../state/signal.ts';
import { noClips } from '../state/view-state.ts';
import type { ViewerModel } from '../state/viewer-model.ts';
import viewerStyles from '../viewer.module.css';
import { IconButton } from './IconButton.tsx';
import inputStyles from './inputs.module.css';
import { keyHints } from './key-hints.ts';
import { PanelButton, type PanelName } from './PanelDock.tsx';
import toolbarStyles from './toolbar.module.css';

interface ToolbarProps {
  model: ViewerModel;
  /** the current layout */
  layout: PaneLayout;
  hasScene: boolean;
  /** one pane at a time: layouts are tabs */
  isSmall: boolean;
  onLayout: (layout: PaneLayout) => void;
  /** whether the table of places, such as defects, is open */
  isListed: boolean;
  onList: (isListed: boolean) => void;
  /** space for the page's own actions, such as “Bookmark” */
  actions?: ReactNode;
  onCapture: () => void;
  /** the open panel */
  panel: PanelName | null;
  onPanel: (name: PanelName | null) => void;
}

const single: readonly [PaneName, string][] = [
  ['3d', '3D'],
  ['xy', 'XY'],
  ['xz', 'XZ'],
  ['yz', 'YZ'],
  ['oblique', 'Oblique'],
];

export function Toolbar(props: ToolbarProps) {
  const { model, isListed, onList, actions, onCapture } = props;
  const panel = { model, open: props.panel, onOpen: props.onPanel };
  const { smooth, labels } = useSignal(model.store.signal);
  useKeyHints(keyHints);
  useSignal(model.revision);
  const window_ = model.window();
  const decimals = /^float/.test(model.volume?.dataType ?? '') ? decimalsFor(window_.width / 200) : 0;
  return (
    <div className={toolbarStyles['toolbar']} role="toolbar" aria-label="Viewer">
      <LayoutButtons {...props} />
      <ToolButtons model={model} />
      <PanelButton {...panel} name="window">
        <IconContrast2 size={16} aria-hidden="true" />
        <span className={toolbarStyles['wide']}>Level</span>
        <span className={toolbarStyles['spare']}>{fixed(window_.center, decimals)}</span>
        <span className={toolbarStyles['wide']}>Width</span>
        <span className={toolbarStyles['spare']}>{fixed(window_.width, decimals)}</span>
      </PanelButton>
      <IconButton
        label="Smooth between voxels"
        pressed={smooth}
        disabled={!model.volume}
        onClick={() => model.store.update({ smooth: !smooth })}
      >
        <IconBlur size={16} />
      </IconButton>
      <PanelButton {...panel} name="oblique">
        <IconSlice size={16} aria-hidden="true" />
        <span className={toolbarStyles['wide']}>Oblique</span>
      </PanelButton>
      <PanelButton {...panel} name="surface">
        <IconAdjustments size={16} aria-hidden="true" />
        <span className={toolbarStyles['wide']}>Surface</span>
      </PanelButton>
      <PanelButton {...panel} name="volume">
        <IconCube3dSphere size={16} aria-hidden="true" />
        <span className={toolbarStyles['wide']}>Volume</span>
      </PanelButton>
      <PanelButton {...panel} name="clips">
        <IconScissors size={16} aria-hidden="true" />
        <span className={toolbarStyles['wide']}>Cut</span>
      </PanelButton>
      <PanelButton {...panel} name="labels">
        <IconPin size={16} aria-label="Pinned labels" />
        {labels.length > 0 ? labels.length : null}
      </PanelButton>
      {model.places.source ? (
        <button
          type="button"
          className={inputStyles['textButton']}
          aria-pressed={isListed}
          title={`Table of all ${model.places.source.title.toLowerCase()}`}
          onClick={() => onList(!isListed)}
        >
          <IconTable size={16} aria-hidden="true" />
          <span className={toolbarStyles['wide']}>{model.places.source.title}</span>
        </button>
      ) : null}
      <span className={viewerStyles['grow']} />
      {actions}
      <IconButton
        label="Reset view"
        onClick={() => {
          model.store.update({ camera: null, planes: null, cursorMm: null, window: null });
          changeClips(model, noClips);
        }}
      >
        <IconRefresh size={16} />
      </IconButton>
      <IconButton label="Save a picture" onClick={onCapture}>
        <IconCamera size={16} />
      </IconButton>
    </div>
  );
}

/** Chooses the visible panes: all, or a single one. */
function LayoutButtons({ model, layout, hasScene, isSmall, onLayout }: ToolbarProps) {
  const { oblique } = useSignal(model.store.signal);
  // Its tab is needed where panes are shown one at a time; elsewhere its own header maximizes it.
  const hasObliqueTab = oblique !== null && (isSmall || layout === 'oblique');
  return (
    <div className={toolbarStyles['group']} data-small={isSmall}>
      {isSmall ? null : (
        <>
          <IconButton
            label={hasScene ? '3D large, slices beside it' : 'All slices'}
            pressed={layout === 'main'}
            onClick={() => onLayout('main')}
          >
            <IconLayoutSidebarRight size={16} />
          </IconButton>
          {hasScene ? (
            <IconButton label="Four equal panes" pressed={layout === 'grid'} onClick={() => onLayout('grid')}>
              <IconLayoutGrid size={16} />
            </IconButton>
          ) : null}
        </>
      )}
      {single.map(([name, title]) =>
        (name === '3d' && !hasScene) || (name === 'oblique' && !hasObliqueTab) ? null : (
          <IconButton
            key={name}
            label={`Show ${title} alone`}
            pressed={layout === name}
            onClick={() => onLayout(name)}
          >
            {title}
          </IconButton>
        ),
      )}
    </div>
  );
}

/** The tool that a drag uses. */
function ToolButtons({ model }: { model: ViewerModel }) {
  const tool = useSignal(model.tool);
  return (
    <div className={toolbarStyles['group']}>
      <IconButton
        label="Drag to move the cursor, in 3D to rotate the part"
        keys="1"
        pressed={tool === 'cursor'}
        onClick={() => model.tool.set('cursor')}
      >
        <IconCrosshair size={16} />
      </IconButton>
      <IconButton
        label="Drag to pan (also Shift)"
        keys="2"
        pressed={tool === 'pan'}
        onClick={() => model.tool.set('pan')}
      >
        <IconArrowsMove size={16} />
      </IconButton>
      <IconButton
        label="Drag to change contrast and brightness (also the right button)"
        keys="3"
        pressed={tool === 'window'}
        onClick={() => model.tool.set('window')}
      >
        <IconContrast size={16} />
      </IconButton>
    </div>
  );
}
