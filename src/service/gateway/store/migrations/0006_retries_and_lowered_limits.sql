ALTER TABLE "former_users" ADD COLUMN "daily_limit" integer;--> statement-breakpoint
ALTER TABLE "former_users" ADD COLUMN "key_limit" integer;--> statement-breakpoint
ALTER TABLE "quota_notices" ADD COLUMN "attempts" integer DEFAULT 1 NOT NULL;--> statement-breakpoint
ALTER TABLE "quota_notices" ADD COLUMN "retry_at" timestamp with time zone;