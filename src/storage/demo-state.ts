/** How far the demo of a new installation is: the worker makes it, the service tells. */
import { eq } from 'drizzle-orm';
import type { Executor } from './db/connection.ts';
import { settings } from './db/schema-system.ts';

/** key of the row of settings */
export const demoSetting = 'demo';

export interface DemoState {
  /** false where there were projects before the demo could be made */
  wanted: boolean;
  /** how many parts there are to be; not known of a demo that an earlier version made */
  parts?: number;
  /** key of the part → id of its project */
  made: Record<string, string>;
  /** keys of the parts whose analyses have been asked for */
  analysed: string[];
  /** keys of the parts whose disposition is there; not known of a demo that an earlier version made */
  decided?: string[];
}

/** Null when no part is missing that is to come. */
export async function readDemoProgress(db: Executor): Promise<{ made: number; parts: number } | null> {
  const [row] = await db.select().from(settings).where(eq(settings.key, demoSetting));
  const { wanted, parts = 0, made: projectIds } = (row?.value ?? { wanted: false, made: {} }) as DemoState;
  const made = Object.keys(projectIds).length;
  return wanted && made < parts ? { made, parts } : null;
}
