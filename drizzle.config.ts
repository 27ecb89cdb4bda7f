/** For `npx drizzle-kit generate`, which writes the next migration from the difference of the schema files. */
import { defineConfig } from 'drizzle-kit';

export default defineConfig({
  dialect: 'postgresql',
  schema: './src/storage/db/schema-*.ts',
  out: './src/storage/db/migrations',
});
