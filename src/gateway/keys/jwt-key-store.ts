import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { JwtKey } from '../store/access-rules.js'
import type { Database } from '../store/open-store.js'
import { OperatorError } from '../store/operator-error.js'
import { apiKeys } from '../store/schema.js'

/** The public keys in a row's rules. */
const registered = sql`coalesce(${apiKeys.access} -> 'jwt' -> 'keys', '[]'::jsonb)`

/**
 * Adds a public key to those that an API key's tokens may be signed with, by the database, so that of two changes at
 * once neither undoes the other.
 * @param most public keys of one API key
 * @returns false where there is no such API key
 * @throws OperatorError `invalid_input` where there are as many already, or one has this id
 */
export async function insertJwtKey(db: Database, id: string, key: JwtKey, most: number): Promise<boolean> {
  const same = JSON.stringify([{ id: key.id }])
  const isAdded = await change(
    db,
    id,
    sql`jsonb_set(${apiKeys.access}, '{jwt}', jsonb_build_object('keys', ${registered} || ${JSON.stringify([key])}::jsonb))`,
    sql`jsonb_array_length(${registered}) < ${most}::integer and not ${registered} @> ${same}::jsonb`,
  )
  return isAdded || refused(db, id, key, most)
}

/** Says why nothing was added. */
async function refused(db: Database, id: string, key: JwtKey, most: number): Promise<false> {
  const [row] = await db
    .select({ access: apiKeys.access })
    .from(apiKeys)
    .where(and(ne(apiKeys.state, 'deleted'), eq(apiKeys.id, id)))
  if (row === undefined) return false
  const isKnown = row.access.jwt?.keys.some((other) => other.id === key.id) === true
  throw new OperatorError(
    'invalid_input',
    isKnown
      ? `There is a public key ${JSON.stringify(key.id)} already`
      : `There are ${most} public keys, as many as one API key can have`,
  )
}

/**
 * Takes a public key away; with the last one the rule ends, and no token is asked for.
 * @returns false where there is no such API key
 */
export async function deleteJwtKey(db: Database, id: string, jwtKeyId: string): Promise<boolean> {
  const others = sql`(select jsonb_build_object('keys', jsonb_agg(each order by place))
    from jsonb_array_elements(${registered}) with ordinality as registered (each, place)
    where each ->> 'id' <> ${jwtKeyId} having count(*) > 0)`
  return change(
    db,
    id,
    sql`jsonb_strip_nulls(${apiKeys.access} || jsonb_build_object('jwt', ${others}))`,
    undefined,
  )
}

/** Changes the rules of an API key that is not deleted, where a condition holds. */
async function change(db: Database, id: string, access: SQL, condition: SQL | undefined): Promise<boolean> {
  const changed = await db
    .update(apiKeys)
    .set({ access, changedAt: sql`now()` })
    .where(and(ne(apiKeys.state, 'deleted'), eq(apiKeys.id, id), condition))
    .returning({ id: apiKeys.id })
  return changed.length > 0
}
