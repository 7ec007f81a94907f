ALTER TABLE "api_keys" ADD COLUMN "operator_disabled_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "disabled_at" timestamp with time zone;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "last_log_in_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "users_created" ON "users" USING btree ("created_at","id");