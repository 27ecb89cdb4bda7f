/** Whether the event is a notch of a wheel; a trackpad scrolls by a few pixels at a time. */
export const isNotch = ({ deltaMode, deltaY }: WheelEvent): boolean =>
  deltaMode !== WheelEvent.DOM_DELTA_PIXEL || Math.abs(deltaY) >= 100;
