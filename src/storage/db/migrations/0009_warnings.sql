ALTER TABLE "data_objects" ALTER COLUMN "metadata" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "data_objects" ADD COLUMN "warnings" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
ALTER TABLE "operations" ADD COLUMN "warnings" jsonb DEFAULT '[]'::jsonb NOT NULL;--> statement-breakpoint
UPDATE "data_objects" SET "warnings" = (
  SELECT coalesce(jsonb_agg(jsonb_build_object('code', 'OTHER', 'message', message, 'measures', '[]'::jsonb)), '[]'::jsonb)
  FROM jsonb_array_elements_text("metadata"->'warnings') AS message
) WHERE jsonb_typeof("metadata"->'warnings') = 'array';--> statement-breakpoint
UPDATE "data_objects" SET "metadata" = "metadata" - 'warnings' WHERE "metadata" ? 'warnings';--> statement-breakpoint
UPDATE "operations" SET "warnings" = made."warnings" FROM (
  SELECT "created_by_operation_id" AS id, jsonb_agg(DISTINCT warning) AS "warnings"
  FROM "data_objects", jsonb_array_elements("data_objects"."warnings") AS warning
  GROUP BY "created_by_operation_id"
) AS made WHERE "operations"."id" = made.id;
