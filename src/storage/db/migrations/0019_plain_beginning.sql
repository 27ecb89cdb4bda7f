ALTER TABLE "work_queue" ALTER COLUMN "run_at" DROP DEFAULT;--> statement-breakpoint
ALTER TABLE "work_queue" ALTER COLUMN "run_at" DROP NOT NULL;