/** What stands behind a scene in pictures: always light, so that they depend on the view alone, and for print. */
export const plainGround = [0xf3, 0xf5, 0xf7] as const;
/** sRGB bytes at the top and at the bottom of a ground that fades. */
export const fadingGround = [
  [0xfa, 0xfb, 0xfc],
  [0xdd, 0xe3, 0xe8],
] as const;

/** Under X-rays and maxima, whose bright places would be lost on a light ground. */
export const raysGround = [0x0b, 0x0d, 0x10] as const;
/** Of a section without grey values, 0 to 1; in none of the maps: it can't be taken for a value. */
export const sectionColour = [0.5, 0.41, 0.37] as const;
/** Of the chosen place of a surface, 0 to 1; in none of the maps either. */
export const chosenColour = [1, 0.24, 0.62] as const;
/** Of a surface without values, 0 to 1. */
export const partColour = [0.74, 0.76, 0.79] as const;
/** What is seen of what a surface is held against over that surface; alone it hides what is behind it. */
export const opacityOverSurface = 0.4;
/** Of the part around defects, which it must not hide: a ray meets several of its walls. */
export const opacityAroundDefects = 0.14;
/** Of what a surface is held against, 0 to 1. */
export const referenceColour = [0.93, 0.55, 0.16] as const;

/** @returns sRGB bytes at the top and at the bottom */
export const groundFor = (view: { scene: { gradient: boolean }; surface: { shaded: boolean } }) =>
  view.scene.gradient && view.surface.shaded ? fadingGround : ([plainGround, plainGround] as const);
