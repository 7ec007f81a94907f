ALTER TABLE "quota_counts" ADD COLUMN "recalled_at" timestamp with time zone;--> statement-breakpoint
CREATE INDEX "quota_counts_recalled" ON "quota_counts" USING btree ("recalled_at");