CREATE TABLE "former_users" (
	"address_digest" text PRIMARY KEY NOT NULL,
	"user_id" text NOT NULL,
	"deleted_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "usage_journal" (
	"bucket" smallint NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"starts_at" timestamp with time zone NOT NULL,
	"key_ids" text[] NOT NULL,
	"methods" text[] NOT NULL,
	"codes" integer[] NOT NULL,
	"classes" smallint[] NOT NULL,
	"requests" bigint[] NOT NULL,
	"microseconds" bigint[] NOT NULL,
	"slowest_microseconds" bigint[] NOT NULL
);
--> statement-breakpoint
CREATE TABLE "used_journal" (
	"bucket" smallint NOT NULL,
	"written_at" timestamp with time zone DEFAULT now() NOT NULL,
	"period" text NOT NULL,
	"starts_on" date NOT NULL,
	"subjects" text[] NOT NULL,
	"used" bigint[] NOT NULL
);
--> statement-breakpoint
CREATE INDEX "usage_journal_bucket" ON "usage_journal" USING btree ("bucket");--> statement-breakpoint
CREATE INDEX "used_journal_bucket" ON "used_journal" USING btree ("bucket");--> statement-breakpoint
ALTER TABLE "usage_journal" ALTER COLUMN "key_ids" SET STORAGE EXTERNAL, ALTER COLUMN "methods" SET STORAGE EXTERNAL, ALTER COLUMN "codes" SET STORAGE EXTERNAL, ALTER COLUMN "classes" SET STORAGE EXTERNAL, ALTER COLUMN "requests" SET STORAGE EXTERNAL, ALTER COLUMN "microseconds" SET STORAGE EXTERNAL, ALTER COLUMN "slowest_microseconds" SET STORAGE EXTERNAL;--> statement-breakpoint
ALTER TABLE "used_journal" ALTER COLUMN "subjects" SET STORAGE EXTERNAL, ALTER COLUMN "used" SET STORAGE EXTERNAL;