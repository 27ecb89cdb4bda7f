CREATE TABLE "work_queue" (
	"id" uuid PRIMARY KEY NOT NULL,
	"kind" text NOT NULL,
	"place" text NOT NULL,
	"priority" integer NOT NULL,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"run_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"claim" integer DEFAULT 0 NOT NULL,
	"worker_id" uuid,
	"beat_at" timestamp (3) with time zone,
	"is_asked_again" boolean DEFAULT false NOT NULL,
	"is_cancelled" boolean DEFAULT false NOT NULL,
	"deaths" integer DEFAULT 0 NOT NULL,
	"losses" integer DEFAULT 0 NOT NULL
);
--> statement-breakpoint
ALTER TABLE "bookmark_renders" ADD COLUMN "progress" real DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "bookmark_renders" ADD COLUMN "stage" text;--> statement-breakpoint
ALTER TABLE "bookmark_renders" ADD COLUMN "cancel_requested_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "bookmark_renders" ADD COLUMN "started_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "bookmark_renders" ADD COLUMN "finished_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "data_views" ADD COLUMN "stage" text;--> statement-breakpoint
ALTER TABLE "data_views" ADD COLUMN "cancel_requested_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "data_views" ADD COLUMN "created_by" uuid;--> statement-breakpoint
ALTER TABLE "data_views" ADD COLUMN "started_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "blobs" ADD COLUMN "written_by" uuid;--> statement-breakpoint
ALTER TABLE "bulk_requests" ADD COLUMN "stage" text;--> statement-breakpoint
ALTER TABLE "exports" ADD COLUMN "stage" text;--> statement-breakpoint
ALTER TABLE "recipe_invocations" ADD COLUMN "stage" text;--> statement-breakpoint
CREATE INDEX "work_queue_order" ON "work_queue" USING btree ("place","priority" DESC NULLS LAST,"created_at");--> statement-breakpoint
ALTER TABLE "data_views" ADD CONSTRAINT "data_views_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "blobs_written_by" ON "blobs" USING btree ("written_by") WHERE "blobs"."written_by" is not null;--> statement-breakpoint
ALTER TABLE "operations" DROP COLUMN "attempt";--> statement-breakpoint
ALTER TABLE "operations" DROP COLUMN "job_id";--> statement-breakpoint
UPDATE "bookmark_renders" SET "finished_at" = "created_at", "progress" = CASE WHEN "status" = 'completed' THEN 1 ELSE 0 END WHERE "status" NOT IN ('pending', 'processing', 'cancelling');--> statement-breakpoint
INSERT INTO "work_queue" ("id", "kind", "place", "priority", "created_at")
SELECT o.id, 'operation', CASE WHEN o.operation = 'ingest' THEN 'import' ELSE 'compute' END,
  CASE WHEN o.invocation_id IS NULL THEN 100 WHEN i.bulk_item_id IS NULL THEN 50 ELSE 0 END, o.created_at
FROM "operations" o LEFT JOIN "recipe_invocations" i ON i.id = o.invocation_id
WHERE o.status IN ('pending', 'processing', 'cancelling') AND o.operation <> 'runPipeline'
UNION ALL SELECT id, 'export', 'export', 100, created_at FROM "exports" WHERE status IN ('pending', 'processing', 'cancelling')
UNION ALL SELECT id, 'view', 'picture', 100, created_at FROM "data_views" WHERE status IN ('pending', 'processing', 'cancelling')
UNION ALL SELECT id, 'render', 'picture', 100, created_at FROM "bookmark_renders" WHERE status IN ('pending', 'processing', 'cancelling')
UNION ALL SELECT id, 'invocation', 'turn', CASE WHEN bulk_item_id IS NULL THEN 50 ELSE 0 END, created_at FROM "recipe_invocations" WHERE status IN ('pending', 'processing', 'cancelling')
UNION ALL SELECT id, 'bulk', CASE WHEN operation_type = 'downloadResults' THEN 'pack' ELSE 'turn' END,
  CASE WHEN operation_type = 'downloadResults' THEN 0 ELSE 100 END, created_at FROM "bulk_requests" WHERE status IN ('pending', 'processing', 'cancelling');--> statement-breakpoint
DROP SCHEMA IF EXISTS "pgboss" CASCADE;
