-- Partitions usage by time (docs/decisions/0080). Existing rows stay in place, in a partition without a lower bound.
CREATE SCHEMA IF NOT EXISTS "usage_partitions";--> statement-breakpoint
LOCK TABLE "usage_minutes", "usage_hours" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
ALTER TABLE "usage_minutes" SET SCHEMA "usage_partitions";--> statement-breakpoint
ALTER TABLE "usage_partitions"."usage_minutes" RENAME TO "usage_minutes_before";--> statement-breakpoint
CREATE TABLE "usage_minutes" (
	LIKE "usage_partitions"."usage_minutes_before" INCLUDING DEFAULTS,
	CONSTRAINT "usage_minutes_key_id_starts_at_method_code_pk" PRIMARY KEY("key_id","starts_at","method","code")
) PARTITION BY RANGE ("starts_at");
--> statement-breakpoint
CREATE INDEX "usage_minutes_starts" ON "usage_minutes" USING btree ("starts_at");--> statement-breakpoint
ALTER TABLE "usage_hours" SET SCHEMA "usage_partitions";--> statement-breakpoint
ALTER TABLE "usage_partitions"."usage_hours" RENAME TO "usage_hours_before";--> statement-breakpoint
CREATE TABLE "usage_hours" (
	LIKE "usage_partitions"."usage_hours_before" INCLUDING DEFAULTS,
	CONSTRAINT "usage_hours_key_id_starts_at_method_code_pk" PRIMARY KEY("key_id","starts_at","method","code")
) PARTITION BY RANGE ("starts_at");
--> statement-breakpoint
CREATE INDEX "usage_hours_starts" ON "usage_hours" USING btree ("starts_at");--> statement-breakpoint
DO $$
BEGIN
  EXECUTE format('ALTER TABLE usage_minutes ATTACH PARTITION usage_partitions.usage_minutes_before FOR VALUES FROM (MINVALUE) TO (%L)',
    date_trunc('day', now(), 'UTC') + interval '1 day');
  EXECUTE format('ALTER TABLE usage_hours ATTACH PARTITION usage_partitions.usage_hours_before FOR VALUES FROM (MINVALUE) TO (%L)',
    date_trunc('week', now(), 'UTC') + interval '7 days');
END $$;--> statement-breakpoint
CREATE TABLE "usage_partitions"."usage_minutes_default" PARTITION OF "usage_minutes" DEFAULT WITH (fillfactor = 50);--> statement-breakpoint
CREATE TABLE "usage_partitions"."usage_hours_default" PARTITION OF "usage_hours" DEFAULT WITH (fillfactor = 80);
