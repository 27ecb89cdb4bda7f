import { type RefObject, useLayoutEffect, useState } from 'react';
import { axisNames, planeAxes, type SliceName } from '#kernels/grid/plane-transform.ts';
import { NumberField } from '../controls/NumberField.tsx';
import type { ViewerModel } from '../state/viewer-model.ts';
import styles from '../viewer.module.css';

interface SliceFieldsProps {
  model: ViewerModel;
  name: SliceName;
  /** around the picture */
  holder: RefObject<HTMLElement | null>;
}

/** How much a slice pane shows, and what is in its middle: what the wheel and a drag with Shift change. */
export function SliceFields({ model, name, holder }: SliceFieldsProps) {
  const [size, setSize] = useState({ widthPx: 1, heightPx: 1 });
  // Until a height is chosen it follows from the size.
  useLayoutEffect(() => {
    const element = holder.current;
    if (!element) return;
    const read = () => setSize({ widthPx: element.clientWidth || 1, heightPx: element.clientHeight || 1 });
    read();
    const sized = new ResizeObserver(read);
    sized.observe(element);
    return () => sized.disconnect();
  }, [holder]);
  const view = model.planeView(name, size.widthPx, size.heightPx);
  const axes = planeAxes[name];
  const isOblique = name === 'oblique';
  const title = isOblique ? 'the oblique slice' : name.toUpperCase();
  const middle = [
    ['centreU', isOblique ? 'Right' : axisNames[axes.u]],
    ['centreV', isOblique ? 'Up' : axisNames[axes.v]],
  ] as const;
  return (
    <fieldset className={styles['cameraFields']} aria-label={`View of ${title}`}>
      <span>
        Height
        <NumberField
          label="Height of the picture"
          value={view.heightMm}
          step={0.1}
          decimals={3}
          unit="mm"
          minimum={0.001}
          onChange={(heightMm) => model.setPlaneView(name, { ...view, heightMm })}
        />
      </span>
      {middle.map(([side, axis]) => (
        <span key={side}>
          {axis}
          <NumberField
            label={`${axis} of the middle of the picture`}
            value={view[side]}
            step={0.1}
            decimals={3}
            unit="mm"
            onChange={(value) => model.setPlaneView(name, { ...view, [side]: value })}
          />
        </span>
      ))}
    </fieldset>
  );
}
