export const withoutWebGL =
  '3D needs WebGL 2, which this browser does not offer. Switch on hardware acceleration in its settings, or use another browser. Slices work without it.';

export const contextLost =
  'The browser lost its connection to the graphics card. 3D returns automatically; if it does not, reload the page.';

/** WebGL2 is not available: software rendering is off, or the browser blocks it. Slices work without. */
export class WebGLMissing extends Error {}
