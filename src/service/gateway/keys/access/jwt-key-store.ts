import { and, eq, ne, type SQL, sql } from 'drizzle-orm'
import type { Database, JwtKey } from '../../store/index.js'
import { apiKeys } from '../../store/index.js'
import { OperatorError } from '../../util/index.js'

/** The public keys that an API key's row has registered. */
const registered = sql`coalesce(${apiKeys.access} -> 'jwt' -> 'keys', '[]'::jsonb)`

/**
 * Registers a public key for the tokens of an API key. The database merges it, so concurrent changes are all kept.
 * @param most number of public keys that an API key may have
 * @returns false for an unknown API key
 * @throws OperatorError `invalid_input` if the API key has `most` public keys, or one with the same id
 */
export async function insertJwtKey(db: Database, id: string, key: JwtKey, most: number): Promise<boolean> {
  const same = JSON.stringify([{ id: key.id }])
  const isAdded = await change(
    db,
    id,
    sql`jsonb_set(${apiKeys.access}, '{jwt}', jsonb_build_object('keys', ${registered} || ${JSON.stringify([key])}::jsonb))`,
    sql`jsonb_array_length(${registered}) < ${most}::integer and not ${registered} @> ${same}::jsonb`,
  )
  return isAdded || explainRefusal(db, id, key, most)
}

/** Finds out why the key was not added, and throws; returns false for an unknown API key. */
async function explainRefusal(db: Database, id: string, key: JwtKey, most: number): Promise<false> {
  const [row] = await db
    .select({ access: apiKeys.access })
    .from(apiKeys)
    .where(and(ne(apiKeys.state, 'deleted'), eq(apiKeys.id, id)))
  if (row === undefined) return false
  const isKnown = row.access.jwt?.keys.some((other) => other.id === key.id) === true
  throw new OperatorError(
    'invalid_input',
    isKnown
      ? `A public key with the id ${JSON.stringify(key.id)} is already registered`
      : `This API key has ${most} public keys, the maximum. Remove one first`,
    { field: isKnown ? 'jwtId' : undefined },
  )
}

/**
 * Removes a public key. Without public keys, an API key needs no token.
 * @returns false for an unknown API key
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

/** Updates the access rules of an API key if it exists and the condition holds. */
async function change(db: Database, id: string, access: SQL, condition: SQL | undefined): Promise<boolean> {
  const changed = await db
    .update(apiKeys)
    .set({ access, changedAt: sql`now()` })
    .where(and(ne(apiKeys.state, 'deleted'), eq(apiKeys.id, id), condition))
    .returning({ id: apiKeys.id })
  return changed.length > 0
}
