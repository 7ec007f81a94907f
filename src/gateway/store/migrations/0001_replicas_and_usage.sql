CREATE TABLE "quota_counts" (
	"subject" text NOT NULL,
	"period" text NOT NULL,
	"starts_on" date NOT NULL,
	"granted" integer NOT NULL,
	"used" integer DEFAULT 0 NOT NULL,
	"last_lease" integer NOT NULL,
	CONSTRAINT "quota_counts_subject_period_starts_on_pk" PRIMARY KEY("subject","period","starts_on"),
	CONSTRAINT "quota_counts_period_known" CHECK ("quota_counts"."period" in ('day', 'month')),
	CONSTRAINT "quota_counts_count" CHECK ("quota_counts"."granted" >= 0 and "quota_counts"."used" >= 0 and "quota_counts"."last_lease" >= 0)
);
--> statement-breakpoint
INSERT INTO "quota_counts" ("subject", "period", "starts_on", "granted", "used", "last_lease")
SELECT "user_id", 'day', "day", "granted", "used", "last_lease" FROM "quota_days";
--> statement-breakpoint
DROP TABLE "quota_days";
--> statement-breakpoint
CREATE TABLE "replicas" (
	"id" text PRIMARY KEY NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"usage_batch" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_hours" (
	"key_id" text NOT NULL,
	"method" text NOT NULL,
	"code" integer NOT NULL,
	"requests" bigint NOT NULL,
	"microseconds" bigint NOT NULL,
	"slowest_microseconds" bigint NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	CONSTRAINT "usage_hours_key_id_starts_at_method_code_pk" PRIMARY KEY("key_id","starts_at","method","code")
);
--> statement-breakpoint
CREATE TABLE "usage_minutes" (
	"key_id" text NOT NULL,
	"method" text NOT NULL,
	"code" integer NOT NULL,
	"requests" bigint NOT NULL,
	"microseconds" bigint NOT NULL,
	"slowest_microseconds" bigint NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	CONSTRAINT "usage_minutes_key_id_starts_at_method_code_pk" PRIMARY KEY("key_id","starts_at","method","code")
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "daily_limit" integer;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "monthly_limit" integer;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "access" jsonb DEFAULT '{}'::jsonb NOT NULL;
--> statement-breakpoint
ALTER TABLE "api_keys" ADD COLUMN "last_used_at" timestamp with time zone;
--> statement-breakpoint
CREATE INDEX "quota_counts_starts" ON "quota_counts" USING btree ("starts_on");
--> statement-breakpoint
CREATE INDEX "usage_hours_starts" ON "usage_hours" USING btree ("starts_at");
--> statement-breakpoint
CREATE INDEX "usage_minutes_starts" ON "usage_minutes" USING btree ("starts_at");
--> statement-breakpoint
CREATE INDEX "api_keys_changed" ON "api_keys" USING btree ("changed_at");
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_limits_count" CHECK ("api_keys"."daily_limit" >= 1 and "api_keys"."monthly_limit" >= 1);