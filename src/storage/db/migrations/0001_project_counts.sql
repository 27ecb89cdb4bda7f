CREATE TABLE "project_counts" (
	"organization_id" uuid NOT NULL,
	"workspace_id" uuid NOT NULL,
	"state" text NOT NULL,
	"verdict" text,
	"change" bigint NOT NULL
);
--> statement-breakpoint
CREATE INDEX "project_counts_key" ON "project_counts" USING btree ("organization_id","workspace_id","state","verdict","change");--> statement-breakpoint
CREATE FUNCTION "count_projects"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF TG_OP <> 'DELETE' THEN
    INSERT INTO project_counts (organization_id, workspace_id, state, verdict, change)
    SELECT organization_id, workspace_id, state, verdict, count(*) FROM after_rows GROUP BY 1, 2, 3, 4;
  END IF;
  IF TG_OP <> 'INSERT' THEN
    INSERT INTO project_counts (organization_id, workspace_id, state, verdict, change)
    SELECT organization_id, workspace_id, state, verdict, -count(*) FROM before_rows GROUP BY 1, 2, 3, 4;
  END IF;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "recount_projects"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO project_counts (organization_id, workspace_id, state, verdict, change)
  SELECT organization_id, workspace_id, state, verdict, sum(change) FROM (
    SELECT organization_id, workspace_id, state, verdict, 1 AS change FROM after_rows
    UNION ALL
    SELECT organization_id, workspace_id, state, verdict, -1 FROM before_rows
  ) changes GROUP BY 1, 2, 3, 4 HAVING sum(change) <> 0;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE FUNCTION "forget_project_counts"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  DELETE FROM project_counts;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "projects_counted_after_insert" AFTER INSERT ON "projects" REFERENCING NEW TABLE AS after_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "count_projects"();
--> statement-breakpoint
CREATE TRIGGER "projects_counted_after_update" AFTER UPDATE ON "projects" REFERENCING NEW TABLE AS after_rows OLD TABLE AS before_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "recount_projects"();
--> statement-breakpoint
CREATE TRIGGER "projects_counted_after_delete" AFTER DELETE ON "projects" REFERENCING OLD TABLE AS before_rows
  FOR EACH STATEMENT EXECUTE FUNCTION "count_projects"();
--> statement-breakpoint
CREATE TRIGGER "projects_counted_after_truncate" AFTER TRUNCATE ON "projects"
  FOR EACH STATEMENT EXECUTE FUNCTION "forget_project_counts"();
--> statement-breakpoint
INSERT INTO project_counts (organization_id, workspace_id, state, verdict, change)
SELECT organization_id, workspace_id, state, verdict, count(*) FROM projects GROUP BY 1, 2, 3, 4;
