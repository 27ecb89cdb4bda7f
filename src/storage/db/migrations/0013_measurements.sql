CREATE TABLE "measurements" (
	"id" uuid PRIMARY KEY DEFAULT gen_random_uuid() NOT NULL,
	"project_id" uuid NOT NULL,
	"data_object_id" uuid NOT NULL,
	"surface_id" uuid,
	"name" text NOT NULL,
	"kind" text NOT NULL,
	"points" jsonb NOT NULL,
	"feature_ids" uuid[] NOT NULL,
	"placement" text NOT NULL,
	"result" jsonb NOT NULL,
	"created_by" uuid,
	"created_at" timestamp (3) with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp (3) with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "measurements" ADD CONSTRAINT "measurements_project_id_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "measurements" ADD CONSTRAINT "measurements_data_object_id_data_objects_id_fk" FOREIGN KEY ("data_object_id") REFERENCES "public"."data_objects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "measurements" ADD CONSTRAINT "measurements_surface_id_data_objects_id_fk" FOREIGN KEY ("surface_id") REFERENCES "public"."data_objects"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "measurements" ADD CONSTRAINT "measurements_created_by_users_id_fk" FOREIGN KEY ("created_by") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "measurements_project" ON "measurements" USING btree ("project_id","created_at");--> statement-breakpoint
CREATE INDEX "measurements_data_object" ON "measurements" USING btree ("data_object_id");--> statement-breakpoint
CREATE INDEX "measurements_surface" ON "measurements" USING btree ("surface_id") WHERE "measurements"."surface_id" is not null;