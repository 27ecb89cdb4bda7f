/** Background of a scene in pictures: always light, for print and so that pictures depend on the view alone. */
export const plainGround = [0xf3, 0xf5, 0xf7] as const;
/** sRGB bytes at the top and at the bottom of a gradient background. */
export const fadingGround = [
  [0xfa, 0xfb, 0xfc],
  [0xdd, 0xe3, 0xe8],
] as const;

/** Background for X-ray and maximum projections, whose bright areas would be lost on a light one. */
export const raysGround = [0x0b, 0x0d, 0x10] as const;
/** Colour of a section without grey values, 0 to 1; in none of the maps, so that it can't be mistaken for a value. */
export const sectionColour = [0.5, 0.41, 0.37] as const;
/** Colour of the cut faces of a volume, null = grey values; one left hollow would be empty, so it shows those. */
export const chooseCutColour = (section: 'grey' | 'plain' | 'open') =>
  section === 'plain' ? sectionColour : null;
/** Colour of the selected place of a surface, 0 to 1; in none of the maps, either. */
export const chosenColour = [1, 0.24, 0.62] as const;
/** Colour of a surface without values, 0 to 1. */
export const partColour = [0.74, 0.76, 0.79] as const;
/** Opacity of the reference over the surface that is compared with it; without that surface it is opaque. */
export const opacityOverSurface = 0.4;
/** Opacity of the part around defects, which it must not hide: a ray crosses several of its walls. */
export const opacityAroundDefects = 0.14;
/** Colour of the reference, 0 to 1. */
export const referenceColour = [0.93, 0.55, 0.16] as const;

/** @returns sRGB bytes at the top and at the bottom */
export const groundFor = (view: { scene: { gradient: boolean }; surface: { shaded: boolean } }) =>
  view.scene.gradient && view.surface.shaded ? fadingGround : ([plainGround, plainGround] as const);
