import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { link, open, readFile, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { OperatorError, reasonOf, systemCode } from '../util/index.js'

const CIPHER = 'aes-256-gcm'
const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const VERSION_BYTES = 6
const DERIVED_BYTES = 32
const GENERATED_BYTES = 32
const SHORTEST_SECRET = 32
const SECRET_FILE = 'secret'

/**
 * Encrypts small texts at rest and derives further secrets. While the secret of a deployment is changed, others are
 * accepted beside it: they decrypt and verify, but neither encrypt nor sign.
 */
export interface Secret {
  /** Identifies the secret without revealing it. It is stored with each encrypted text. */
  readonly version: string
  /** The versions of this secret and of the accepted ones. */
  readonly versions: readonly string[]
  /**
   * Encrypts a text.
   * @param context associated data, which must be the same for decryption
   * @returns nonce, tag and ciphertext in base64url
   */
  seal(text: string, context: readonly string[]): string
  /**
   * Decrypts a text from `seal`.
   * @throws OperatorError `secret_mismatch` if it was encrypted with a secret that is not accepted or has been changed
   */
  open(sealed: string, version: string, context: readonly string[]): string
  /**
   * Derives an independent secret for another purpose.
   * @param purpose fixed name of the purpose
   */
  derive(purpose: string): string
  /** Derives a secret for another purpose from this secret and from the accepted ones, in the order of `versions`. */
  deriveAll(purpose: string): readonly string[]
}

/**
 * Derives the encryption key, its version and secrets for other purposes from a secret text (HKDF-SHA-256, AES-256-GCM).
 * @param accepted texts of secrets that are accepted beside it
 */
export function createSecret(text: string, accepted: readonly string[] = []): Secret {
  const own = deriveSecret(text)
  const all = [own, ...accepted.map(deriveSecret)]
  return {
    ...own,
    versions: all.map(({ version }) => version),
    deriveAll: (purpose) => all.map(({ derive }) => derive(purpose)),
    open(sealed, sealedBy, context) {
      return (all.find(({ version }) => version === sealedBy) ?? own).open(sealed, sealedBy, context)
    },
  }
}

function deriveSecret(text: string): Omit<Secret, 'versions' | 'deriveAll'> {
  const derive = (purpose: string, bytes: number) =>
    Buffer.from(hkdfSync('sha256', text, '', `concordat ${purpose}`, bytes))
  const key = derive('encryption of keys at rest', KEY_BYTES)
  const version = derive('version of the secret', VERSION_BYTES).toString('hex')
  return {
    version,
    derive: (purpose) => derive(purpose, DERIVED_BYTES).toString('base64url'),
    seal(plain, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(JSON.stringify(context)))
      const encrypted = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), encrypted]).toString('base64url')
    },
    open(sealed, sealedBy, context) {
      if (sealedBy !== version) throw mismatch(`secret ${sealedBy}, and this process has secret ${version}`)
      const bytes = Buffer.from(sealed, 'base64url')
      try {
        const decipher = createDecipheriv(CIPHER, key, bytes.subarray(0, NONCE_BYTES), {
          authTagLength: TAG_BYTES,
        })
          .setAAD(Buffer.from(JSON.stringify(context)))
          .setAuthTag(bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
        return (
          decipher.update(bytes.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8')
        )
      } catch (error) {
        throw mismatch(`secret ${sealedBy}, and its record has been changed since`, error)
      }
    },
  }
}

function mismatch(what: string, cause?: unknown): OperatorError {
  return new OperatorError(
    'secret_mismatch',
    `The key cannot be decrypted: it was encrypted with ${what}. ` +
      'Start with the original CONCORDAT_SECRET (or data folder), or rotate the key',
    { cause },
  )
}

/**
 * Loads the secret of a deployment from CONCORDAT_SECRET or, if that is empty, from the data folder, where the first start
 * creates it. A secret in the folder protects dumps of the database but not the folder itself.
 * @param fromEnvironment value of CONCORDAT_SECRET
 * @param accepted texts of secrets that are accepted beside it
 * @throws OperatorError `secret_unusable`
 */
export async function loadSecret(
  dataDir: string,
  fromEnvironment?: string,
  accepted: readonly string[] = [],
): Promise<Secret> {
  const text = await findSecret(dataDir, fromEnvironment)
  const own = text ?? (await keepSecret(dataDir, randomBytes(GENERATED_BYTES).toString('hex')))
  return createSecret(own, accepted)
}

/**
 * Reads the secret of a deployment, and creates none.
 * @param fromEnvironment value of CONCORDAT_SECRET
 * @returns undefined if there is none
 * @throws OperatorError `secret_unusable`
 */
export async function findSecret(
  dataDir: string,
  fromEnvironment: string | undefined,
): Promise<string | undefined> {
  if (fromEnvironment !== undefined && fromEnvironment !== '') {
    if (fromEnvironment.length < SHORTEST_SECRET) {
      throw new OperatorError(
        'secret_unusable',
        `CONCORDAT_SECRET must have at least ${SHORTEST_SECRET} characters. To generate one, run: openssl rand -hex 32`,
      )
    }
    return fromEnvironment
  }
  const path = join(dataDir, SECRET_FILE)
  const text = await readSecret(path)
  if (text !== undefined && text.length < SHORTEST_SECRET) {
    throw new OperatorError(
      'secret_unusable',
      `The file ${path} is damaged. Restore it, or set CONCORDAT_SECRET`,
    )
  }
  return text
}

/**
 * Requires CONCORDAT_SECRET with a database server, because all processes that share a database must share the secret.
 * @throws OperatorError `secret_unusable`
 */
export function requireSharedSecret(
  databaseUrl: string | undefined,
  fromEnvironment: string | undefined,
): void {
  if (databaseUrl === undefined || fromEnvironment !== undefined) return
  throw new OperatorError(
    'secret_unusable',
    'CONCORDAT_SECRET must be set together with DATABASE_URL. All processes that share a database must share the secret',
  )
}

async function readSecret(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    if (systemCode(error) === 'ENOENT') return undefined
    throw new OperatorError(
      'secret_unusable',
      `Cannot read the secret ${path}: ${reasonOf(error)}. Restore it, or set CONCORDAT_SECRET`,
      { cause: error },
    )
  }
}

/**
 * Writes the secret of a data folder under a temporary name and links it into place, so that no process reads an
 * incomplete file.
 * @returns the secret of the folder, which another process may have written first
 * @throws OperatorError `secret_unusable`
 */
export async function keepSecret(dataDir: string, text: string): Promise<string> {
  const path = join(dataDir, SECRET_FILE)
  const unfinished = `${path}.${randomBytes(6).toString('hex')}`
  try {
    const file = await open(unfinished, 'wx', 0o600)
    await file.writeFile(`${text}\n`)
    await file.sync()
    await file.close()
    await link(unfinished, path).catch((error: unknown) => {
      if (systemCode(error) !== 'EEXIST') throw error
    })
    await unlink(unfinished)
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    throw new OperatorError('secret_unusable', `Cannot write the secret ${path}: ${reasonOf(error)}`, {
      cause: error,
    })
  }
}
