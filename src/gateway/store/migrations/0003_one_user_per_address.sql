DROP INDEX "users_origin_email";--> statement-breakpoint
UPDATE "users" SET "email" = "origin" || '+' || "email" WHERE EXISTS (SELECT FROM "users" AS "first" WHERE lower("first"."email") = lower("users"."email") AND ("first"."created_at", "first"."id") < ("users"."created_at", "users"."id"));--> statement-breakpoint
CREATE UNIQUE INDEX "users_email" ON "users" USING btree (lower("email"));
