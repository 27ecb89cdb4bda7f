import type { MaterialResult } from './mesh-result.ts';
import { PlacesTable } from './places-table.tsx';

/** The materials of a part, the lightest first; each has a mesh of its own among the data. */
export function MaterialsTable({ materials }: { materials: readonly MaterialResult[] }) {
  return (
    <PlacesTable
      title="Materials"
      caption="Materials, the lightest first"
      rows={materials}
      count={materials.length}
      columns={[
        { title: 'No.', value: ({ number }) => number },
        { title: 'Grey value', digits: 0, value: ({ grayValue }) => grayValue },
        { title: 'From grey', digits: 0, value: ({ isoValue }) => isoValue },
        { title: 'Volume', unit: 'mm³', digits: 2, value: ({ volumeMm3 }) => volumeMm3 },
        { title: 'Area', unit: 'mm²', digits: 2, value: ({ areaMm2 }) => areaMm2 },
      ]}
      keyOf={({ number }) => String(number)}
      nameOf={({ number }) => `material ${number}`}
    />
  );
}
