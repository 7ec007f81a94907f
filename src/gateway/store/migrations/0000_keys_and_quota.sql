CREATE TABLE "api_keys" (
	"id" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"network" text NOT NULL,
	"name" text NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"state" text DEFAULT 'enabled' NOT NULL,
	"slot" integer,
	"digest" text,
	"sealed" text,
	"secret_version" text,
	"masked" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"changed_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "api_keys_digest" UNIQUE("digest"),
	CONSTRAINT "api_keys_state_known" CHECK ("api_keys"."state" in ('enabled', 'disabled', 'deleted')),
	CONSTRAINT "api_keys_slot_counts" CHECK ("api_keys"."slot" >= 1),
	CONSTRAINT "api_keys_deleted_is_empty" CHECK (("api_keys"."state" = 'deleted') = ("api_keys"."slot" is null)
        and ("api_keys"."slot" is null) = ("api_keys"."digest" is null)
        and ("api_keys"."slot" is null) = ("api_keys"."sealed" is null)
        and ("api_keys"."slot" is null) = ("api_keys"."secret_version" is null))
);
--> statement-breakpoint
CREATE TABLE "quota_days" (
	"user_id" text NOT NULL,
	"day" date NOT NULL,
	"granted" integer NOT NULL,
	"used" integer DEFAULT 0 NOT NULL,
	"last_lease" integer NOT NULL,
	CONSTRAINT "quota_days_user_id_day_pk" PRIMARY KEY("user_id","day"),
	CONSTRAINT "quota_days_counts" CHECK ("quota_days"."granted" >= 0 and "quota_days"."used" >= 0 and "quota_days"."last_lease" >= 0)
);
--> statement-breakpoint
CREATE TABLE "users" (
	"id" text PRIMARY KEY NOT NULL,
	"origin" text NOT NULL,
	"email" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "users_origin_known" CHECK ("users"."origin" in ('cli', 'dashboard', 'embedded'))
);
--> statement-breakpoint
ALTER TABLE "api_keys" ADD CONSTRAINT "api_keys_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_user_slot" ON "api_keys" USING btree ("user_id","slot");--> statement-breakpoint
CREATE INDEX "api_keys_created" ON "api_keys" USING btree ("created_at");--> statement-breakpoint
CREATE UNIQUE INDEX "users_origin_email" ON "users" USING btree ("origin",lower("email"));