/** Tags of TIFF 6.0 and its technical notes that are read or written. */
export const tag = {
  newSubfileType: 254,
  imageWidth: 256,
  imageLength: 257,
  bitsPerSample: 258,
  compression: 259,
  photometric: 262,
  fillOrder: 266,
  imageDescription: 270,
  stripOffsets: 273,
  samplesPerPixel: 277,
  rowsPerStrip: 278,
  stripByteCounts: 279,
  xResolution: 282,
  yResolution: 283,
  planarConfiguration: 284,
  resolutionUnit: 296,
  software: 305,
  predictor: 317,
  tileWidth: 322,
  tileLength: 323,
  tileOffsets: 324,
  tileByteCounts: 325,
  sampleFormat: 339,
} as const;

/** Names for refusals. */
export const compressionNames: Record<number, string> = {
  2: 'CCITT modified Huffman',
  3: 'CCITT Group 3 fax',
  4: 'CCITT Group 4 fax',
  6: 'old-style JPEG',
  7: 'JPEG',
  9: 'JBIG',
  10: 'JBIG colour',
  32766: 'NeXT RLE',
  32771: 'CCITT RLE, word-aligned',
  32809: 'ThunderScan',
  33003: 'JPEG 2000',
  33005: 'JPEG 2000',
  34661: 'JBIG',
  34676: 'SGI LogLuv',
  34677: 'SGI LogLuv 24',
  34712: 'JPEG 2000',
  34887: 'LERC',
  34892: 'lossy JPEG (DNG)',
  34925: 'LZMA',
  50000: 'Zstandard',
  50001: 'WebP',
  50002: 'JPEG XL',
  52546: 'JPEG XL',
};

export const photometricNames: Record<number, string> = {
  2: 'RGB colour',
  5: 'CMYK colour',
  6: 'YCbCr colour',
  8: 'CIE L*a*b* colour',
  9: 'ICC L*a*b* colour',
  10: 'ITU L*a*b* colour',
  32803: 'a colour filter array',
  32844: 'LogL',
  32845: 'LogLuv',
  34892: 'linear raw',
};

/** Bytes of one value of each field type; 0 for types that do not exist. */
export const fieldBytes = [0, 1, 1, 2, 4, 8, 1, 1, 2, 4, 8, 4, 8, 4, 0, 0, 8, 8, 8];
