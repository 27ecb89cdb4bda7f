/** Whether the event is a notch of a wheel; a trackpad scrolls by a few pixels at a time. */
export const isNotch = ({ deltaMode, deltaY }: WheelEvent): boolean =>
  deltaMode !== WheelEvent.DOM_DELTA_PIXEL || Math.abs(deltaY) >= 100;

/**
 * How far a wheel or trackpad scrolls. Browsers report a wheel turned with Shift as a sideways turn; without Shift, a
 * sideways swipe scrolls nothing.
 */
export const readScroll = ({ deltaX, deltaY, shiftKey }: WheelEvent): number =>
  deltaY || (shiftKey ? deltaX : 0);
