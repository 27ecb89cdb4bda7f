/** Progress of creating the demo of a new installation; written by the worker, reported by the service. */
import { eq } from 'drizzle-orm';
import type { Executor } from './db/connection.ts';
import { settings } from './db/schema-system.ts';

/** key in the settings table */
export const demoSetting = 'demo';

export interface DemoState {
  /** false when there were already projects before the demo could be created */
  wanted: boolean;
  /** total number of parts; absent for a demo created by an earlier version */
  parts?: number;
  /** key of the part → id of its project */
  made: Record<string, string>;
  /** keys of the parts whose analyses have been requested */
  analysed: string[];
  /** keys of the parts with a disposition; absent for a demo created by an earlier version */
  decided?: string[];
}

/** Progress of the demo; null when no part is missing. */
export async function readDemoProgress(db: Executor): Promise<{ made: number; parts: number } | null> {
  const [row] = await db.select().from(settings).where(eq(settings.key, demoSetting));
  const { wanted, parts = 0, made: projectIds } = (row?.value ?? { wanted: false, made: {} }) as DemoState;
  const made = Object.keys(projectIds).length;
  return wanted && made < parts ? { made, parts } : null;
}
