import { type PlaceColumn, PlacesTable, type PlacesTableProps } from './places-table.tsx';

type Numbered<Patch> = Patch & { number: number };

interface PatchesTableProps<Patch>
  extends Omit<PlacesTableProps<Numbered<Patch>>, 'rows' | 'columns' | 'keyOf'> {
  patches: readonly Patch[];
  /** what they are listed for, in mm */
  worst: Omit<PlaceColumn<Patch>, 'unit'>;
}

/** Patches of a surface, numbered in their order. */
export function PatchesTable<Patch extends { areaMm2: number | null }>({
  patches,
  worst,
  ...table
}: PatchesTableProps<Patch>) {
  return (
    <PlacesTable
      {...table}
      rows={patches.map((patch, index) => ({ ...patch, number: index + 1 }))}
      columns={[
        { title: 'No.', value: ({ number }) => number },
        { ...worst, unit: 'mm' },
        { title: 'Area', unit: 'mm²', value: ({ areaMm2 }) => areaMm2 },
      ]}
      keyOf={({ number }) => String(number)}
    />
  );
}
