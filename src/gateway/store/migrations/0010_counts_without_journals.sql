-- The journals of used requests: their lists are in columns, or in "entries" as text, where a list of one value stands for as many as there are subjects.
WITH "listed" AS (
	SELECT "period", "starts_on",
		CASE WHEN "entries" IS NULL THEN "subjects" ELSE (string_to_array("entries", ';'))[1]::text[] END AS "subjects",
		CASE WHEN "entries" IS NULL THEN "used" ELSE (string_to_array("entries", ';'))[2]::bigint[] END AS "used"
	FROM "used_journal"
), "counted" AS (
	SELECT "entry"."subject", "period", "starts_on",
		sum(CASE WHEN cardinality("listed"."used") = 1 THEN "listed"."used"[1] ELSE "entry"."used" END) AS "used"
	FROM "listed", unnest("listed"."subjects", "listed"."used") AS "entry"("subject", "used") GROUP BY 1, 2, 3
)
UPDATE "quota_counts" AS "quota" SET "used" = greatest(0, least("quota"."used" + "counted"."used", "quota"."granted"))
FROM "counted"
WHERE "quota"."subject" = "counted"."subject" AND "quota"."period" = "counted"."period" AND "quota"."starts_on" = "counted"."starts_on";
--> statement-breakpoint
-- The journal of usage, with the same two forms.
CREATE TEMPORARY TABLE "journaled" ON COMMIT DROP AS
WITH "listed" AS (
	SELECT "starts_at",
		CASE WHEN "entries" IS NULL THEN "key_ids" ELSE (string_to_array("entries", ';'))[1]::text[] END AS "key_ids",
		CASE WHEN "entries" IS NULL THEN "methods" ELSE (string_to_array("entries", ';'))[2]::text[] END AS "methods",
		CASE WHEN "entries" IS NULL THEN "codes" ELSE (string_to_array("entries", ';'))[3]::integer[] END AS "codes",
		CASE WHEN "entries" IS NULL THEN "classes" ELSE (string_to_array("entries", ';'))[4]::smallint[] END AS "classes",
		CASE WHEN "entries" IS NULL THEN "requests" ELSE (string_to_array("entries", ';'))[5]::bigint[] END AS "requests",
		CASE WHEN "entries" IS NULL THEN "microseconds" ELSE (string_to_array("entries", ';'))[6]::bigint[] END AS "microseconds",
		CASE WHEN "entries" IS NULL THEN "slowest_microseconds" ELSE (string_to_array("entries", ';'))[7]::bigint[] END AS "slowest_microseconds"
	FROM "usage_journal"
), "entries" AS (
	SELECT "starts_at",
		"entry"."key_id",
		CASE WHEN cardinality("listed"."methods") = 1 THEN "listed"."methods"[1] ELSE "entry"."method" END AS "method",
		CASE WHEN cardinality("listed"."codes") = 1 THEN "listed"."codes"[1] ELSE "entry"."code" END AS "code",
		CASE WHEN cardinality("listed"."classes") = 1 THEN "listed"."classes"[1] ELSE "entry"."class" END AS "class",
		CASE WHEN cardinality("listed"."requests") = 1 THEN "listed"."requests"[1] ELSE "entry"."requests" END AS "requests",
		CASE WHEN cardinality("listed"."microseconds") = 1 THEN "listed"."microseconds"[1] ELSE "entry"."microseconds" END AS "microseconds",
		CASE WHEN cardinality("listed"."slowest_microseconds") = 1 THEN "listed"."slowest_microseconds"[1] ELSE "entry"."slowest" END AS "slowest"
	FROM "listed", unnest("listed"."key_ids", "listed"."methods", "listed"."codes", "listed"."classes", "listed"."requests", "listed"."microseconds", "listed"."slowest_microseconds") AS "entry"("key_id", "method", "code", "class", "requests", "microseconds", "slowest")
)
SELECT "key_id", "starts_at", "method", "code", sum("requests")::bigint AS "requests", sum("microseconds")::bigint AS "microseconds",
	max("slowest") AS "slowest_microseconds",
	array[coalesce(sum("requests") FILTER (WHERE "class" = 0), 0), coalesce(sum("requests") FILTER (WHERE "class" = 1), 0), coalesce(sum("requests") FILTER (WHERE "class" = 2), 0), coalesce(sum("requests") FILTER (WHERE "class" = 3), 0), coalesce(sum("requests") FILTER (WHERE "class" = 4), 0), coalesce(sum("requests") FILTER (WHERE "class" = 5), 0), coalesce(sum("requests") FILTER (WHERE "class" = 6), 0), coalesce(sum("requests") FILTER (WHERE "class" = 7), 0), coalesce(sum("requests") FILTER (WHERE "class" = 8), 0), coalesce(sum("requests") FILTER (WHERE "class" = 9), 0), coalesce(sum("requests") FILTER (WHERE "class" = 10), 0), coalesce(sum("requests") FILTER (WHERE "class" = 11), 0), coalesce(sum("requests") FILTER (WHERE "class" = 12), 0), coalesce(sum("requests") FILTER (WHERE "class" = 13), 0), coalesce(sum("requests") FILTER (WHERE "class" = 14), 0), coalesce(sum("requests") FILTER (WHERE "class" = 15), 0), coalesce(sum("requests") FILTER (WHERE "class" = 16), 0)]::bigint[] AS "durations"
FROM "entries" GROUP BY 1, 2, 3, 4;
--> statement-breakpoint
INSERT INTO "usage_minutes" AS "known" ("key_id", "starts_at", "method", "code", "requests", "microseconds", "slowest_microseconds", "durations")
SELECT "key_id", "starts_at", "method", "code", "requests", "microseconds", "slowest_microseconds", "durations" FROM "journaled"
ON CONFLICT ("key_id", "starts_at", "method", "code") DO UPDATE SET
	"requests" = "known"."requests" + excluded."requests",
	"microseconds" = "known"."microseconds" + excluded."microseconds",
	"slowest_microseconds" = greatest("known"."slowest_microseconds", excluded."slowest_microseconds"),
	"durations" = array[coalesce("known"."durations"[1], 0) + excluded."durations"[1], coalesce("known"."durations"[2], 0) + excluded."durations"[2], coalesce("known"."durations"[3], 0) + excluded."durations"[3], coalesce("known"."durations"[4], 0) + excluded."durations"[4], coalesce("known"."durations"[5], 0) + excluded."durations"[5], coalesce("known"."durations"[6], 0) + excluded."durations"[6], coalesce("known"."durations"[7], 0) + excluded."durations"[7], coalesce("known"."durations"[8], 0) + excluded."durations"[8], coalesce("known"."durations"[9], 0) + excluded."durations"[9], coalesce("known"."durations"[10], 0) + excluded."durations"[10], coalesce("known"."durations"[11], 0) + excluded."durations"[11], coalesce("known"."durations"[12], 0) + excluded."durations"[12], coalesce("known"."durations"[13], 0) + excluded."durations"[13], coalesce("known"."durations"[14], 0) + excluded."durations"[14], coalesce("known"."durations"[15], 0) + excluded."durations"[15], coalesce("known"."durations"[16], 0) + excluded."durations"[16], coalesce("known"."durations"[17], 0) + excluded."durations"[17]]::bigint[];
--> statement-breakpoint
INSERT INTO "usage_hours" AS "known" ("key_id", "starts_at", "method", "code", "requests", "microseconds", "slowest_microseconds", "durations")
SELECT "key_id", date_trunc('hour', "starts_at", 'UTC'), "method", "code", sum("requests"), sum("microseconds"), max("slowest_microseconds"),
	array[sum("durations"[1]), sum("durations"[2]), sum("durations"[3]), sum("durations"[4]), sum("durations"[5]), sum("durations"[6]), sum("durations"[7]), sum("durations"[8]), sum("durations"[9]), sum("durations"[10]), sum("durations"[11]), sum("durations"[12]), sum("durations"[13]), sum("durations"[14]), sum("durations"[15]), sum("durations"[16]), sum("durations"[17])]::bigint[]
FROM "journaled" GROUP BY 1, 2, 3, 4
ON CONFLICT ("key_id", "starts_at", "method", "code") DO UPDATE SET
	"requests" = "known"."requests" + excluded."requests",
	"microseconds" = "known"."microseconds" + excluded."microseconds",
	"slowest_microseconds" = greatest("known"."slowest_microseconds", excluded."slowest_microseconds"),
	"durations" = array[coalesce("known"."durations"[1], 0) + excluded."durations"[1], coalesce("known"."durations"[2], 0) + excluded."durations"[2], coalesce("known"."durations"[3], 0) + excluded."durations"[3], coalesce("known"."durations"[4], 0) + excluded."durations"[4], coalesce("known"."durations"[5], 0) + excluded."durations"[5], coalesce("known"."durations"[6], 0) + excluded."durations"[6], coalesce("known"."durations"[7], 0) + excluded."durations"[7], coalesce("known"."durations"[8], 0) + excluded."durations"[8], coalesce("known"."durations"[9], 0) + excluded."durations"[9], coalesce("known"."durations"[10], 0) + excluded."durations"[10], coalesce("known"."durations"[11], 0) + excluded."durations"[11], coalesce("known"."durations"[12], 0) + excluded."durations"[12], coalesce("known"."durations"[13], 0) + excluded."durations"[13], coalesce("known"."durations"[14], 0) + excluded."durations"[14], coalesce("known"."durations"[15], 0) + excluded."durations"[15], coalesce("known"."durations"[16], 0) + excluded."durations"[16], coalesce("known"."durations"[17], 0) + excluded."durations"[17]]::bigint[];
--> statement-breakpoint
UPDATE "api_keys" AS "key" SET "last_used_at" = "last"."at"
FROM (SELECT "key_id", max("starts_at") AS "at" FROM "journaled" GROUP BY "key_id") AS "last"
WHERE "key"."id" = "last"."key_id" AND ("key"."last_used_at" IS NULL OR "key"."last_used_at" < "last"."at");
--> statement-breakpoint
DROP TABLE "journaled";--> statement-breakpoint
DROP TABLE "usage_journal" CASCADE;--> statement-breakpoint
DROP TABLE "used_journal" CASCADE;--> statement-breakpoint
-- A row of a minute is written six times: room on its page saves the indexes five of them.
ALTER TABLE "usage_minutes" SET (fillfactor = 50);
