-- In the order in which running replicas lock these tables when they write usage, which prevents a deadlock.
ALTER TABLE "usage_minutes" ADD COLUMN "node_calls" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_hours" ADD COLUMN "node_calls" bigint DEFAULT 0 NOT NULL;
