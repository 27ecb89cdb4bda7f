-- The choice “auto” was: local where the scan is uneven, else ISO 50. That is what “local” means by now.
UPDATE "operations" SET "parameters" = replace("parameters"::text, '"mode": "auto"', '"mode": "local"')::jsonb WHERE "parameters"::text LIKE '%"mode": "auto"%';--> statement-breakpoint
UPDATE "recipe_versions" SET "steps" = replace("steps"::text, '"mode": "auto"', '"mode": "local"')::jsonb WHERE "steps"::text LIKE '%"mode": "auto"%';--> statement-breakpoint
UPDATE "recipe_invocations" SET "definition" = replace("definition"::text, '"mode": "auto"', '"mode": "local"')::jsonb WHERE "definition"::text LIKE '%"mode": "auto"%';--> statement-breakpoint
UPDATE "bulk_requests" SET "parameters" = replace("parameters"::text, '"mode": "auto"', '"mode": "local"')::jsonb WHERE "parameters"::text LIKE '%"mode": "auto"%';
