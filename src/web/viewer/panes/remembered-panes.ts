import { useLocalStorage } from '@mantine/hooks';
import { useCallback } from 'react';
import { z } from 'zod';
import { defaultShares, type PaneShares } from '#kernels/grid/pane-layout.ts';

const Share = z.number().min(0).max(1);
const Remembered = z.object({
  arrangement: z.enum(['main', 'grid']),
  shares: z.object({ large: Share, strip: z.tuple([Share, Share]), grid: z.tuple([Share, Share]) }),
});
type Remembered = z.infer<typeof Remembered>;

const key = 'scanwright.panes';
const fresh: Remembered = {
  arrangement: 'main',
  shares: { ...defaultShares, strip: [...defaultShares.strip], grid: [...defaultShares.grid] },
};

/** Parses the layout stored by this or an earlier version; an unreadable one is replaced by the default. */
function read(text: string | undefined): Remembered {
  try {
    return Remembered.parse(JSON.parse(text ?? ''));
  } catch {
    return fresh;
  }
}

/** The arrangement last used in this browser, for a view that specifies none. */
export const rememberedArrangement = (): 'main' | 'grid' =>
  read(localStorage.getItem(key) ?? undefined).arrangement;

/** The positions of the splitters and the last arrangement, stored in this browser. */
export function usePaneMemory(): {
  shares: PaneShares;
  keepShares: (shares: PaneShares) => void;
  keepArrangement: (arrangement: 'main' | 'grid') => void;
} {
  const [remembered, set] = useLocalStorage<Remembered>({
    key,
    defaultValue: fresh,
    getInitialValueInEffect: false,
    deserialize: read,
  });
  const keepShares = useCallback(
    ({ large, strip, grid }: PaneShares) =>
      set((before) => ({ ...before, shares: { large, strip: [...strip], grid: [...grid] } })),
    [set],
  );
  const keepArrangement = useCallback(
    (arrangement: 'main' | 'grid') => set((before) => ({ ...before, arrangement })),
    [set],
  );
  return { shares: remembered.shares, keepShares, keepArrangement };
}
