-- For the index of n-grams, which is built in memory.
SET LOCAL maintenance_work_mem = '256MB';
--> statement-breakpoint
DROP FUNCTION "count_projects"() CASCADE;
--> statement-breakpoint
DROP FUNCTION "recount_projects"() CASCADE;
--> statement-breakpoint
DROP FUNCTION "forget_project_counts"() CASCADE;
--> statement-breakpoint
DROP TABLE "project_counts";
--> statement-breakpoint
DROP FUNCTION "note_project_change"() CASCADE;
--> statement-breakpoint
DROP INDEX "projects_changed";
--> statement-breakpoint
DROP INDEX "projects_by_created";
--> statement-breakpoint
DROP INDEX "projects_by_updated";
--> statement-breakpoint
DROP INDEX "projects_by_name";
--> statement-breakpoint
DROP INDEX "projects_by_storage";
--> statement-breakpoint
DROP INDEX "projects_by_state";
--> statement-breakpoint
DROP INDEX "projects_by_verdict";
--> statement-breakpoint
-- Made by trigrams once; new databases get along without that extension.
DROP INDEX IF EXISTS "projects_search";
--> statement-breakpoint
ALTER TABLE "projects" DROP COLUMN "changed_in";
--> statement-breakpoint
CREATE FUNCTION "short_tags"(tags text[]) RETURNS text[] LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT CASE WHEN octet_length(array_to_string(tags, '')) + 8 * cardinality(tags) <= 1000 THEN tags END
$$;
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "short_tags" text[] GENERATED ALWAYS AS (short_tags(tags)) STORED;
--> statement-breakpoint
-- All letters, pairs and triples of a text. Its cost keeps the planner from computing it for each row of a table.
CREATE FUNCTION "ngrams"(searched text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 1000 AS $$
DECLARE
  letters text[] := string_to_array(searched, NULL);
  found text[] := letters;
BEGIN
  FOR i IN 1..cardinality(letters) - 1 LOOP
    found := found || (letters[i] || letters[i + 1]) || (letters[i] || letters[i + 1] || letters[i + 2]);
  END LOOP;
  RETURN array_remove(found, NULL);
END $$;
--> statement-breakpoint
CREATE INDEX "projects_sample" ON "projects" USING btree ("organization_id","workspace_id","state","verdict","short_tags","search_text","name_sort","created_at","updated_at","storage_bytes","id") WHERE "projects"."id" < '04000000-0000-0000-0000-000000000000' and octet_length("projects"."search_text") < 800;
--> statement-breakpoint
CREATE INDEX "projects_by_created" ON "projects" USING btree ("organization_id","created_at","id","workspace_id","state","verdict","short_tags");
--> statement-breakpoint
CREATE INDEX "projects_by_updated" ON "projects" USING btree ("organization_id","updated_at","id","workspace_id","state","verdict","short_tags");
--> statement-breakpoint
CREATE INDEX "projects_by_name" ON "projects" USING btree ("organization_id","name_sort","id","workspace_id","state","verdict","short_tags");
--> statement-breakpoint
CREATE INDEX "projects_by_storage" ON "projects" USING btree ("organization_id","storage_bytes","id","workspace_id","state","verdict","short_tags");
--> statement-breakpoint
CREATE INDEX "projects_by_state" ON "projects" USING btree ("organization_id","state","id","workspace_id","verdict","short_tags");
--> statement-breakpoint
CREATE INDEX "projects_by_verdict" ON "projects" USING btree ("organization_id",coalesce("verdict", 'without'),"id","workspace_id","state","verdict","short_tags");
--> statement-breakpoint
CREATE INDEX "projects_search" ON "projects" USING gin (ngrams("search_text")) WITH (gin_pending_list_limit=256);
--> statement-breakpoint
-- Lists read indexes alone where rows are known to be visible to all, which is for autovacuum to find out.
ALTER TABLE "projects" SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02);
