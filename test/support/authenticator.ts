import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { temporaryFolder } from './temporary-folder.js'
import { findTool } from './tools.js'

const run = promisify(execFile)

/** An authenticator app: programs of others that read a QR code and compute codes. */
export interface Authenticator {
  /** Reads the text of the QR code in a picture (PNG). */
  scan(picture: Buffer): Promise<string>
  /** Computes the present code for a key in base32. */
  code(secret: string): Promise<string>
}

/** Finds zbarimg and oathtool. */
export async function findAuthenticator(t: {
  readonly teardown: (work: () => unknown) => void
}): Promise<Authenticator> {
  const oathtool = await findTool('oathtool')
  const zbarimg = await findTool('zbarimg')
  const picture = join(await temporaryFolder(t), 'code.png')
  return {
    async scan(image) {
      await writeFile(picture, image)
      const { stdout } = await run(zbarimg, ['--quiet', '--raw', '-Sdisable', '-Sqrcode.enable', picture])
      return stdout.trim()
    },
    async code(secret) {
      const { stdout } = await run(oathtool, ['--totp', '--base32', secret])
      return stdout.trim()
    },
  }
}
