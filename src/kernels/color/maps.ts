/**
 * Colour maps: 256 entries of sRGB bytes each, to be used unchanged (no colour management, no interpolation between
 * entries), so that a pixel can be read back as a value of the legend. Two more entries are for values below and above
 * the limits.
 *
 * viridis, cividis: perceptually uniform, readable without colour vision; tables of their authors (CC0):
 *   S. van der Walt, N. Smith (2015), https://bids.github.io/colormap/
 *   J. Nuñez, C. Anderton, R. Renslow (2018), https://doi.org/10.1371/journal.pone.0199239
 * coolwarm: diverging, for signed values around zero; K. Moreland (2009), https://doi.org/10.1007/978-3-642-10520-3_9
 * batlow: perceptually uniform and ordered; F. Crameri (2018), https://doi.org/10.5281/zenodo.1243862, MIT licence
 * tolerance: one colour each for under, in and over, distinguishable without colour vision; M. Okabe, K. Ito (2008),
 *   https://jfly.uni-koeln.de/color/
 */
export type ColorMapName = 'viridis' | 'cividis' | 'coolwarm' | 'batlow' | 'gray' | 'tolerance';

export const colorMapSize = 256;

/** Indices of the entries for values below and above the limits, after those between them. */
export const [belowIndex, aboveIndex] = [colorMapSize, colorMapSize + 1];

/** The colours of a map, 258 · 3 sRGB bytes. Cached and shared: callers must not modify it. */
export function colorMap(name: ColorMapName): Uint8Array {
  built[name] ??= name === 'tolerance' ? toleranceBands() : withEnds(builders[name]());
  return built[name];
}

/**
 * Index of the map entry for a value: equal parts of `minimum` … `maximum`, the maximum itself in the last;
 * `belowIndex` and `aboveIndex` outside. −1 for NaN.
 */
export function colorIndex(value: number, minimum: number, maximum: number): number {
  if (value < minimum) return belowIndex;
  if (value > maximum) return aboveIndex;
  const place = Math.floor(((value - minimum) / (maximum - minimum)) * colorMapSize);
  if (Number.isNaN(place)) return -1;
  return Math.min(colorMapSize - 1, Math.max(0, place));
}

const viridis =
  '44015444025645045745055946075a46085c460a5d460b5e470d60470e61471063471164471365481467481668481769' +
  '48186a481a6c481b6d481c6e481d6f481f70482071482173482374482475482576482677482878482979472a7a472c7a' +
  '472d7b472e7c472f7d46307e46327e46337f463480453581453781453882443983443a83443b84433d84433e85423f85' +
  '4240864241864142874144874045884046883f47883f48893e49893e4a893e4c8a3d4d8a3d4e8a3c4f8a3c508b3b518b' +
  '3b528b3a538b3a548c39558c39568c38588c38598c375a8c375b8d365c8d365d8d355e8d355f8d34608d34618d33628d' +
  '33638d32648e32658e31668e31678e31688e30698e306a8e2f6b8e2f6c8e2e6d8e2e6e8e2e6f8e2d708e2d718e2c718e' +
  '2c728e2c738e2b748e2b758e2a768e2a778e2a788e29798e297a8e297b8e287c8e287d8e277e8e277f8e27808e26818e' +
  '26828e26828e25838e25848e25858e24868e24878e23888e23898e238a8d228b8d228c8d228d8d218e8d218f8d21908d' +
  '21918c20928c20928c20938c1f948c1f958b1f968b1f978b1f988b1f998a1f9a8a1e9b8a1e9c891e9d891f9e891f9f88' +
  '1fa0881fa1881fa1871fa28720a38620a48621a58521a68522a78522a88423a98324aa8325ab8225ac8226ad8127ad81' +
  '28ae8029af7f2ab07f2cb17e2db27d2eb37c2fb47c31b57b32b67a34b67935b77937b87838b9773aba763bbb753dbc74' +
  '3fbc7340bd7242be7144bf7046c06f48c16e4ac16d4cc26c4ec36b50c46a52c56954c56856c66758c7655ac8645cc863' +
  '5ec96260ca6063cb5f65cb5e67cc5c69cd5b6ccd5a6ece5870cf5773d05675d05477d1537ad1517cd2507fd34e81d34d' +
  '84d44b86d54989d5488bd6468ed64590d74393d74195d84098d83e9bd93c9dd93ba0da39a2da37a5db36a8db34aadc32' +
  'addc30b0dd2fb2dd2db5de2bb8de29bade28bddf26c0df25c2df23c5e021c8e020cae11fcde11dd0e11cd2e21bd5e21a' +
  'd8e219dae319dde318dfe318e2e418e5e419e7e419eae51aece51befe51cf1e51df4e61ef6e620f8e621fbe723fde725';

const cividis =
  '00224e00234f00245100255300255400265600275800285900285b00295d002a5f002a61002b62002c64002c66002d68' +
  '002e6a002e6c002f6d00306f0030700031700031710132710533710833700c34700f357012357014367016377018376f' +
  '1a386f1c396f1e3a6f203a6f213b6e233c6e243c6e263d6e273e6e293f6e2a3f6d2b406d2d416d2e416d2f426d31436d' +
  '32436d33446d34456c35456c36466c38476c39486c3a486c3b496c3c4a6c3d4a6c3e4b6c3f4c6c404c6c414d6c424e6c' +
  '434e6c444f6c45506c46516c47516c48526c49536c4a536c4b546c4c556c4d556c4e566c4f576c50576c51586d52596d' +
  '535a6d545a6d555b6d555c6d565c6d575d6d585e6d595e6e5a5f6e5b606e5c616e5d616e5e626e5e636f5f636f60646f' +
  '61656f62656f636670646770656870656870666970676a71686a71696b716a6c716b6d726c6d726c6e726d6f726e6f73' +
  '6f70737071737172747272747273747374757474757575757676767777767777777878777979777a7a787b7a787c7b78' +
  '7d7c787e7c787e7d787f7e78807f78817f788280798381798482798582798683798784788885788985788a86788b8778' +
  '8c88788d88788e89788f8a78908b78918b78928c78928d78938e78948e77958f779690779791779892779992779a9376' +
  '9b94769c95769d95769e96769f9775a09875a19975a29975a39a74a49b74a59c74a69c74a79d73a89e73a99f73aaa073' +
  'aba072aca172ada272aea371afa471b0a571b1a570b3a670b4a76fb5a86fb6a96fb7a96eb8aa6eb9ab6dbaac6dbbad6d' +
  'bcae6cbdae6cbeaf6bbfb06bc0b16ac1b26ac2b369c3b369c4b468c5b568c6b667c7b767c8b866c9b965cbb965ccba64' +
  'cdbb63cebc63cfbd62d0be62d1bf61d2c060d3c05fd4c15fd5c25ed6c35dd7c45cd9c55cdac65bdbc75adcc859ddc858' +
  'dec958dfca57e0cb56e1cc55e2cd54e4ce53e5cf52e6d051e7d150e8d24fe9d34eead34cebd44bedd54aeed649efd748' +
  'f0d846f1d945f2da44f3db42f5dc41f6dd3ff7de3ef8df3cf9e03afbe138fce236fde334fee434fee535fee636fee838';

const built: Partial<Record<ColorMapName, Uint8Array>> = {};
const builders: Record<Exclude<ColorMapName, 'tolerance'>, () => Uint8Array> = {
  viridis: () => parseHex(viridis),
  cividis: () => parseHex(cividis),
  coolwarm,
  batlow: () => splineThrough(batlow),
  gray: () => Uint8Array.from({ length: colorMapSize * 3 }, (_, i) => Math.floor(i / 3)),
};

function parseHex(text: string): Uint8Array {
  return Uint8Array.from({ length: text.length / 2 }, (_, i) =>
    Number.parseInt(text.slice(2 * i, 2 * i + 2), 16),
  );
}

/** Appends the end colours for values beyond the limits. */
const withEnds = (rgb: Uint8Array): Uint8Array =>
  Uint8Array.from([...rgb, ...rgb.subarray(0, 3), ...rgb.subarray(-3)]);

function toleranceBands(): Uint8Array {
  const [under, within, over] = [
    [0, 114, 178],
    [0, 158, 115],
    [213, 94, 0],
  ];
  return Uint8Array.from([...Array.from({ length: colorMapSize }, () => within).flat(), ...under, ...over]);
}

/** Every fifteenth entry of batlow: red, green, blue from 0 to 1. */
const batlow: readonly Triple[] = [
  [0.0052, 0.0982, 0.3498],
  [0.0477, 0.1858, 0.3649],
  [0.0649, 0.2553, 0.3764],
  [0.0831, 0.3115, 0.3839],
  [0.119, 0.3629, 0.3827],
  [0.1827, 0.4056, 0.3617],
  [0.2662, 0.4386, 0.3201],
  [0.3583, 0.4673, 0.269],
  [0.4558, 0.4956, 0.2178],
  [0.5625, 0.5243, 0.177],
  [0.6782, 0.5507, 0.1778],
  [0.7906, 0.5714, 0.2362],
  [0.8899, 0.5921, 0.3305],
  [0.9617, 0.6243, 0.4557],
  [0.9903, 0.6673, 0.5932],
  [0.9926, 0.7105, 0.7206],
  [0.9888, 0.754, 0.8466],
  [0.9814, 0.8004, 0.9813],
];

/** Catmull–Rom spline (1974) through colours evenly spaced along the map, as 256 entries. */
function splineThrough(knots: readonly Triple[]): Uint8Array {
  // Extrapolates one more knot linearly at each end.
  const onwards = (a: Triple, b: Triple): Triple => [2 * a[0] - b[0], 2 * a[1] - b[1], 2 * a[2] - b[2]];
  const ends = [
    onwards(knots[0], knots[1]),
    ...knots,
    onwards(knots[knots.length - 1], knots[knots.length - 2]),
  ];
  const out = new Uint8Array(colorMapSize * 3);
  for (let i = 0; i < colorMapSize; i++) {
    const place = (i / (colorMapSize - 1)) * (knots.length - 1);
    const k = Math.min(knots.length - 2, Math.floor(place));
    const t = place - k;
    for (let channel = 0; channel < 3; channel++) {
      const [a, b, c, d] = [0, 1, 2, 3].map((knot) => ends[k + knot][channel]);
      const share = b + (t / 2) * (c - a + t * (2 * a - 5 * b + 4 * c - d + t * (3 * (b - c) + d - a)));
      out[3 * i + channel] = Math.round(255 * Math.min(1, Math.max(0, share)));
    }
  }
  return out;
}

/** Moreland's cool-warm map: from blue through light grey to red in the polar form of CIELAB (“Msh”). */
function coolwarm(): Uint8Array {
  const blue = rgbToMsh([59, 76, 192]);
  const red = rgbToMsh([180, 4, 38]);
  const white = 88;
  const out = new Uint8Array(colorMapSize * 3);
  for (let i = 0; i < colorMapSize; i++) {
    const place = i / (colorMapSize - 1);
    const [end, share] = place < 0.5 ? [blue, 2 * place] : [red, 2 - 2 * place];
    const [magnitude, saturation, hue] = end;
    // The unsaturated end gets a hue that keeps the colour change uniform.
    const spin = (saturation * Math.sqrt(white ** 2 - magnitude ** 2)) / (magnitude * Math.sin(saturation));
    const whiteHue = hue > -Math.PI / 3 ? hue + spin : hue - spin;
    const rgb = mshToRgb([
      magnitude + (white - magnitude) * share,
      saturation * (1 - share),
      hue + (whiteHue - hue) * share,
    ]);
    out.set(rgb, 3 * i);
  }
  return out;
}

type Triple = [number, number, number];
/** white point D65 */
const whiteXyz: Triple = [0.95047, 1, 1.08883];

function rgbToMsh(rgb: Triple): Triple {
  const [r, g, b] = rgb.map((byte) => {
    const value = byte / 255;
    return value > 0.04045 ? ((value + 0.055) / 1.055) ** 2.4 : value / 12.92;
  });
  const xyz: Triple = [
    0.4124564 * r + 0.3575761 * g + 0.1804375 * b,
    0.2126729 * r + 0.7151522 * g + 0.072175 * b,
    0.0193339 * r + 0.119192 * g + 0.9503041 * b,
  ];
  const [fx, fy, fz] = xyz.map((value, k) => {
    const share = value / whiteXyz[k];
    return share > 0.008856 ? Math.cbrt(share) : 7.787 * share + 16 / 116;
  });
  const [lightness, a, bb] = [116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)];
  const magnitude = Math.hypot(lightness, a, bb);
  return [magnitude, Math.acos(lightness / magnitude), Math.atan2(bb, a)];
}

function mshToRgb([magnitude, saturation, hue]: Triple): Triple {
  const lightness = magnitude * Math.cos(saturation);
  const a = magnitude * Math.sin(saturation) * Math.cos(hue);
  const b = magnitude * Math.sin(saturation) * Math.sin(hue);
  const fy = (lightness + 16) / 116;
  const [x, y, z] = [fy + a / 500, fy, fy - b / 200].map(
    (f, k) => whiteXyz[k] * (f ** 3 > 0.008856 ? f ** 3 : (f - 16 / 116) / 7.787),
  );
  const linear = [
    3.2404542 * x - 1.5371385 * y - 0.4985314 * z,
    -0.969266 * x + 1.8760108 * y + 0.041556 * z,
    0.0556434 * x - 0.2040259 * y + 1.0572252 * z,
  ];
  const [red, green, blue] = linear.map((value) => {
    const encoded = value > 0.0031308 ? 1.055 * value ** (1 / 2.4) - 0.055 : 12.92 * value;
    return Math.round(255 * Math.min(1, Math.max(0, encoded)));
  });
  return [red, green, blue];
}
