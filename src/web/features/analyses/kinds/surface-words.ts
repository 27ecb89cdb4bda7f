/** Words for the choices by which several analyses find the surface of the part. */
export const airFromMaterial = { iso50: 'ISO 50', otsu: 'Otsu', value: 'Grey value' };

export const surfaceLabels = {
  'surface.mode': airFromMaterial,
  noiseFilter: { none: 'None', median: 'Median 3 × 3 × 3' },
};
