import { eq } from 'drizzle-orm';
import type { Database } from '#storage/db/connection.ts';
import { operations } from '#storage/db/schema-work.ts';

export async function listInputs(db: Database, operationId: string): Promise<readonly string[]> {
  const [row] = await db
    .select({ inputIds: operations.inputDataObjectIds })
    .from(operations)
    .where(eq(operations.id, operationId));
  return row?.inputIds ?? [];
}
