import { and, eq, sql } from 'drizzle-orm'
import { type Database, type Secret, twoFactors } from '../store/index.js'

const VERSION_DIGITS = 12

/** A secret of better-auth, and the number with which it marks what the secret encrypts. */
export interface AuthSecret {
  readonly version: number
  readonly value: string
}

/** Returns better-auth's secrets: the current one, then those that are accepted beside it. */
export function authSecretsOf(secret: Secret): readonly AuthSecret[] {
  const values = secret.deriveAll('sessions and links of accounts')
  return secret.versions.map((version, at) => ({ version: numberOf(version), value: values[at] ?? '' }))
}

const numberOf = (version: string) => Number.parseInt(version.slice(0, VERSION_DIGITS), 16)

/**
 * Encrypts the second factors of other accepted secrets with the current secret.
 * @param next version of the next secret, whose second factors are left as they are
 * @returns the number of second factors whose secret is not accepted; recovery codes work for them, too
 */
export async function reencryptSecondFactors(db: Database, secret: Secret, next?: string): Promise<number> {
  const left = [secret.version, ...(next === undefined ? [] : [next])].map(markOf)
  const rows = await db
    .select({ id: twoFactors.id, was: twoFactors.secret })
    .from(twoFactors)
    .where(and(...left.map((mark) => sql`not starts_with(${twoFactors.secret}, ${mark})`)))
  const readable = rows.filter(({ was }) =>
    secret.versions.some((version) => was.startsWith(markOf(version))),
  )
  if (readable.length === 0) return rows.length
  const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto')
  const secrets = authSecretsOf(secret)
  const key = {
    keys: new Map(secrets.map(({ version, value }) => [version, value])),
    currentVersion: numberOf(secret.version),
  }
  for (const { id, was } of readable) {
    const again = await symmetricEncrypt({ key, data: await symmetricDecrypt({ key, data: was }) })
    // One that was replaced meanwhile has another text and is left alone.
    await db
      .update(twoFactors)
      .set({ secret: again })
      .where(sql`${eq(twoFactors.id, id)} and ${eq(twoFactors.secret, was)}`)
  }
  return rows.length - readable.length
}

/** The beginning of what better-auth encrypts with the secret of a version. */
const markOf = (version: string): string => `$ba$${numberOf(version)}$`
