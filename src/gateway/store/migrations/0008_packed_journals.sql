ALTER TABLE "usage_journal" ADD COLUMN "is_packed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "used_journal" ADD COLUMN "is_packed" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "quota_counts" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "usage_hours" SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE "api_keys" SET (fillfactor = 80);
