/**
 * For `npx drizzle-kit generate`, which writes the next migration from the difference of the schema files to
 * the newest snapshot. The one before it is deleted then: nothing reads it any more.
 */
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/storage/db/schema-*.ts',
  out: './src/storage/db/migrations',
});
