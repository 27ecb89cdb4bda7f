/** What stands behind a scene in pictures: always light, so that they depend on the view alone, and for print. */
export const plainGround = [0xf3, 0xf5, 0xf7] as const;
/** sRGB bytes at the top and at the bottom of a ground that fades. */
export const fadingGround = [
  [0xfa, 0xfb, 0xfc],
  [0xdd, 0xe3, 0xe8],
] as const;

/** @returns sRGB bytes at the top and at the bottom */
export const groundFor = (view: { scene: { gradient: boolean }; surface: { shaded: boolean } }) =>
  view.scene.gradient && view.surface.shaded ? fadingGround : ([plainGround, plainGround] as const);
