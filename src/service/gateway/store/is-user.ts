import { eq, type SQL, sql } from 'drizzle-orm'
import { users } from './schema.js'

/** Returns the condition that finds a user by id, or by address. Case is ignored, as in the index of addresses. */
export const isUser = (of: { readonly userId: string } | { readonly email: string }): SQL =>
  'userId' in of ? eq(users.id, of.userId) : sql`lower(${users.email}) = lower(${of.email})`
