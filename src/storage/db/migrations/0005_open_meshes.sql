-- A surface that is not closed has no volume; meshes that were measured before had a meaningless one.
UPDATE "data_objects"
SET "metadata" = "metadata" || '{"volumeMm3": null, "volumeReason": "The surface is not closed."}'::jsonb
WHERE "kind" IN ('mesh', 'cad')
  AND "metadata" ->> 'watertight' = 'false'
  AND jsonb_typeof("metadata" -> 'volumeMm3') = 'number';
