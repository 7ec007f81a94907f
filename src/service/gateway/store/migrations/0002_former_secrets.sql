CREATE TABLE "former_secrets" (
	"digest" text PRIMARY KEY NOT NULL,
	"key_id" text NOT NULL,
	"replaced_at" timestamp with time zone DEFAULT now() NOT NULL,
	"accepted_until" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "former_secrets_key" ON "former_secrets" USING btree ("key_id");--> statement-breakpoint
CREATE INDEX "former_secrets_replaced" ON "former_secrets" USING btree ("replaced_at");