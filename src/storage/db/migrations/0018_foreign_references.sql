DROP INDEX "data_objects_cad";--> statement-breakpoint
DROP INDEX "data_objects_cad_search";--> statement-breakpoint
CREATE INDEX "data_objects_foreign" ON "data_objects" USING btree ("kind","created_at","id") WHERE "data_objects"."kind" in ('cad', 'volume', 'mesh') and "data_objects"."status" = 'completed';--> statement-breakpoint
CREATE INDEX "data_objects_foreign_search" ON "data_objects" USING gin (ngrams(lower("name" || E'\n' || coalesce("metadata"->>'sourceFileName', '')))) WHERE "data_objects"."kind" in ('cad', 'volume', 'mesh') and "data_objects"."status" = 'completed';