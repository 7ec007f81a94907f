ALTER TABLE "failures" ADD COLUMN "failure" text;--> statement-breakpoint
ALTER TABLE "former_secrets" ADD COLUMN "requests" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "former_secrets" ADD COLUMN "last_used_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "former_secrets" ADD COLUMN "last_client" text;--> statement-breakpoint
ALTER TABLE "usage_hours" ADD COLUMN "free" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "usage_minutes" ADD COLUMN "free" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "disabled_reason" text;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "limits_reason" text;