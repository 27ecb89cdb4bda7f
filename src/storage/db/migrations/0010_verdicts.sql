CREATE TABLE "dispositions" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"decision" text NOT NULL,
	"reason" text NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "leading_characteristic" jsonb;--> statement-breakpoint
ALTER TABLE "projects" ADD COLUMN "measured_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "verdict" text;--> statement-breakpoint
ALTER TABLE "recipe_versions" ADD COLUMN "status" text DEFAULT 'draft' NOT NULL;--> statement-breakpoint
ALTER TABLE "recipe_versions" ADD COLUMN "released_by" uuid;--> statement-breakpoint
ALTER TABLE "recipe_versions" ADD COLUMN "released_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "dispositions" ADD CONSTRAINT "dispositions_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "dispositions" ADD CONSTRAINT "dispositions_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "dispositions_project" ON "dispositions" USING btree ("project_id","created_at");--> statement-breakpoint
ALTER TABLE "recipe_versions" ADD CONSTRAINT "recipe_versions_released_by_users_id_fk" FOREIGN KEY ("released_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "recipe_invocations_version" ON "recipe_invocations" USING btree ("recipe_version_id","project_id");--> statement-breakpoint
UPDATE "recipe_versions" SET "status" = 'released', "released_at" = "created_at", "released_by" = "created_by";--> statement-breakpoint
UPDATE "operations" SET "verdict" = "recipe_invocations"."verdict"
  FROM "recipe_invocations" WHERE "recipe_invocations"."operation_id" = "operations"."id";--> statement-breakpoint
UPDATE "operations" SET "verdict" = "data_objects"."metadata"->>'verdict'
  FROM "data_objects"
  WHERE "data_objects"."created_by_operation_id" = "operations"."id" AND "data_objects"."metadata"->>'verdict' IN ('pass', 'fail', 'indeterminate');
