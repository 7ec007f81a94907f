ALTER TABLE "usage_journal" ADD COLUMN "entries" text;--> statement-breakpoint
ALTER TABLE "used_journal" ADD COLUMN "entries" text;--> statement-breakpoint
ALTER TABLE "usage_journal" ALTER COLUMN "entries" SET STORAGE EXTERNAL;--> statement-breakpoint
ALTER TABLE "used_journal" ALTER COLUMN "entries" SET STORAGE EXTERNAL;
