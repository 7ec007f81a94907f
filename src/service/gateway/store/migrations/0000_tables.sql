CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text,
	"network" text NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"use_case" text DEFAULT '' NOT NULL,
	"node_service" text DEFAULT '' NOT NULL,
	"state" text DEFAULT 'enabled' NOT NULL,
	"operator_disabled_at" timestamp with time zone,
	"slot" integer,
	"digest" text,
	"sealed" text,
	"secret_version" text,
	"masked" text NOT NULL,
	"daily_limit" integer,
	"monthly_limit" integer,
	"access" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone,
	CONSTRAINT "api_keys_digest" UNIQUE("digest"),
	CONSTRAINT "api_keys_limits_count" CHECK ("api_keys"."daily_limit" >= 1 and "api_keys"."monthly_limit" >= 1),
	CONSTRAINT "api_keys_state_known" CHECK ("api_keys"."state" in ('enabled', 'disabled', 'deleted')),
	CONSTRAINT "api_keys_has_user" CHECK ("api_keys"."user_id" is not null or "api_keys"."state" = 'deleted'),
	CONSTRAINT "api_keys_slot_counts" CHECK ("api_keys"."slot" >= 1),
	CONSTRAINT "api_keys_deleted_is_empty" CHECK (("api_keys"."state" = 'deleted') = ("api_keys"."slot" is null)
        and ("api_keys"."slot" is null) = ("api_keys"."digest" is null)
        and ("api_keys"."slot" is null) = ("api_keys"."sealed" is null)
        and ("api_keys"."slot" is null) = ("api_keys"."secret_version" is null))
);
--> statement-breakpoint
CREATE TABLE "attempts" (
	"id" text PRIMARY KEY NOT NULL,
	"key" text NOT NULL,
	"count" integer NOT NULL,
	"last_request" bigint NOT NULL,
	CONSTRAINT "attempts_key" UNIQUE("key")
);
--> statement-breakpoint
CREATE TABLE "credentials" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"account_id" text NOT NULL,
	"provider_id" text NOT NULL,
	"password" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "former_users" (
	"address_digest" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"deleted_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
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
CREATE TABLE "replicas" (
	"id" text PRIMARY KEY NOT NULL,
	"seen_at" timestamp with time zone DEFAULT now() NOT NULL,
	"usage_batch" bigint DEFAULT 0 NOT NULL,
	"settlement_batch" bigint DEFAULT 0 NOT NULL
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"id" text PRIMARY KEY NOT NULL,
	"token" text NOT NULL,
	"user_id" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"ip_address" text,
	"user_agent" text,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "sessions_token" UNIQUE("token")
);
--> statement-breakpoint
CREATE TABLE "usage_hours" (
	"key_id" text NOT NULL,
	"method" text NOT NULL,
	"code" integer NOT NULL,
	"requests" bigint NOT NULL,
	"microseconds" bigint NOT NULL,
	"slowest_microseconds" bigint NOT NULL,
	"durations" bigint[] DEFAULT '{}' NOT NULL,
	"node_calls" bigint DEFAULT 0 NOT NULL,
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
	"durations" bigint[] DEFAULT '{}' NOT NULL,
	"node_calls" bigint DEFAULT 0 NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	CONSTRAINT "usage_minutes_key_id_starts_at_method_code_pk" PRIMARY KEY("key_id","starts_at","method","code")
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"origin" text NOT NULL,
	"email" text NOT NULL,
	"name" text DEFAULT '' NOT NULL,
	"email_verified" boolean DEFAULT false NOT NULL,
	"disabled_at" timestamp with time zone,
	"last_log_in_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_origin_known" CHECK ("users"."origin" in ('cli', 'dashboard', 'embedded'))
);
--> statement-breakpoint
CREATE TABLE "verifications" (
	"id" text PRIMARY KEY NOT NULL,
	"identifier" text NOT NULL,
	"value" text NOT NULL,
	"expires_at" timestamp with time zone NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "credentials" ADD CONSTRAINT "credentials_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_user_slot" ON "api_keys" USING btree ("user_id","slot");--> statement-breakpoint
CREATE INDEX "api_keys_created" ON "api_keys" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "api_keys_changed" ON "api_keys" USING btree ("changed_at");--> statement-breakpoint
CREATE UNIQUE INDEX "credentials_user_provider" ON "credentials" USING btree ("user_id","provider_id");--> statement-breakpoint
CREATE INDEX "quota_counts_starts" ON "quota_counts" USING btree ("starts_on");--> statement-breakpoint
CREATE INDEX "sessions_user" ON "sessions" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "usage_hours_starts" ON "usage_hours" USING btree ("starts_at");--> statement-breakpoint
CREATE INDEX "usage_minutes_starts" ON "usage_minutes" USING btree ("starts_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));--> statement-breakpoint
CREATE INDEX "users_created" ON "users" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "verifications_identifier" ON "verifications" USING btree ("identifier");--> statement-breakpoint
-- drizzle's schema cannot state these. A row of these tables is written again and again: room on its page saves writes of the indexes.
ALTER TABLE "api_keys" SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE "quota_counts" SET (fillfactor = 50);--> statement-breakpoint
ALTER TABLE "usage_hours" SET (fillfactor = 80);--> statement-breakpoint
ALTER TABLE "usage_minutes" SET (fillfactor = 50);
