/** Whether a wheel has clicked on by a notch; a trackpad scrolls by few pixels at a time. */
export const isNotch = ({ deltaMode, deltaY }: WheelEvent): boolean =>
  deltaMode !== WheelEvent.DOM_DELTA_PIXEL || Math.abs(deltaY) >= 100;
