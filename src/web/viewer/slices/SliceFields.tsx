import { type RefObject, useLayoutEffect, useState } from 'react';
import { axisNames, planeAxes, type SliceName } from '#kernels/grid/plane-transform.ts';
import { PictureFields } from '../controls/PictureFields.tsx';
import type { ViewerModel } from '../state/viewer-model.ts';

interface SliceFieldsProps {
  model: ViewerModel;
  name: SliceName;
  /** element around the picture */
  holder: RefObject<HTMLElement | null>;
}

/** Height and centre of a slice pane, which wheel and Shift + drag also change. */
export function SliceFields({ model, name, holder }: SliceFieldsProps) {
  const [size, setSize] = useState({ widthPx: 1, heightPx: 1 });
  // Until a height is chosen, it is derived from the size.
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
  const [u, v] = isOblique ? (['Right', 'Up'] as const) : ([axisNames[axes.u], axisNames[axes.v]] as const);
  return (
    <PictureFields
      label={`View of ${title}`}
      heightMm={view.heightMm}
      onHeight={(heightMm) => model.setPlaneView(name, { ...view, heightMm })}
      middle={[
        [u, view.centreU],
        [v, view.centreV],
      ]}
      onMiddle={(at, mm) => model.setPlaneView(name, { ...view, [at === 0 ? 'centreU' : 'centreV']: mm })}
    />
  );
}
