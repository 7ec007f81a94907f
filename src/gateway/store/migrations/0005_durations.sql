ALTER TABLE "usage_hours" ADD COLUMN "durations" bigint[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_minutes" ADD COLUMN "durations" bigint[] DEFAULT '{}' NOT NULL;