CREATE TABLE "failures" (
	"id" text PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"at" timestamp with time zone NOT NULL,
	"refused" boolean NOT NULL,
	"method" text NOT NULL,
	"code" integer NOT NULL,
	"message" text NOT NULL,
	"request_id" text NOT NULL,
	"microseconds" bigint NOT NULL,
	"params" text,
	"params_part" boolean NOT NULL
);
--> statement-breakpoint
CREATE INDEX "failures_key" ON "failures" USING btree ("key_id","at");--> statement-breakpoint
CREATE INDEX "failures_at" ON "failures" USING btree ("at");