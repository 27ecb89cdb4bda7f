ALTER INDEX "projects_tags" SET (gin_pending_list_limit=256);--> statement-breakpoint
DROP INDEX "bulk_items_status";--> statement-breakpoint
CREATE INDEX "bulk_items_status" ON "bulk_items" USING btree ("bulk_request_id","status","position");
