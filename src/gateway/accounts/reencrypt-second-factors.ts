import { eq, sql } from 'drizzle-orm'
import { type Database, type Secret, twoFactors } from '../store/index.js'

const VERSION_DIGITS = 12

/** Returns better-auth's secret, and the number with which it marks what the secret encrypts. */
export function authSecretOf(secret: Secret): { readonly secret: string; readonly secretVersion: number } {
  return {
    secret: secret.derive('sessions and links of accounts'),
    secretVersion: Number.parseInt(secret.version.slice(0, VERSION_DIGITS), 16),
  }
}

/**
 * Encrypts the second factors of the previous secret with the current secret.
 * @returns the number of second factors that are encrypted with neither; recovery codes work for them, too
 */
export async function reencryptSecondFactors(
  db: Database,
  secret: Secret,
  previous: Secret | undefined,
): Promise<number> {
  const [mark, key] = [markOf(secret), keyOf(secret)]
  const rows = await db
    .select({ id: twoFactors.id, was: twoFactors.secret })
    .from(twoFactors)
    .where(sql`not starts_with(${twoFactors.secret}, ${mark})`)
  if (previous === undefined) return rows.length
  const readable = rows.filter(({ was }) => was.startsWith(markOf(previous)))
  if (readable.length === 0) return rows.length
  const { symmetricDecrypt, symmetricEncrypt } = await import('better-auth/crypto')
  for (const { id, was } of readable) {
    const data = await symmetricDecrypt({ key: keyOf(previous), data: was })
    const again = await symmetricEncrypt({ key, data })
    // One that was replaced meanwhile has another text and is left alone.
    await db
      .update(twoFactors)
      .set({ secret: again })
      .where(sql`${eq(twoFactors.id, id)} and ${eq(twoFactors.secret, was)}`)
  }
  return rows.length - readable.length
}

/** The beginning of what better-auth encrypts with a secret. */
const markOf = (secret: Secret): string => `$ba$${authSecretOf(secret).secretVersion}$`

function keyOf(of: Secret) {
  const { secret, secretVersion } = authSecretOf(of)
  return { keys: new Map([[secretVersion, secret]]), currentVersion: secretVersion }
}
