import { execFile } from 'node:child_process'
import { access, constants, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { findInPackage } from './debian-package.js'
import { temporaryFolder } from './temporary-folder.js'

const run = promisify(execFile)

/** An authenticator app: programs of others that read a QR code and compute codes. */
export interface Authenticator {
  /** Reads the text of the QR code in a picture (PNG). */
  scan(picture: Buffer): Promise<string>
  /** Computes the present code for a key in base32. */
  code(secret: string): Promise<string>
}

const findProgram = (name: string, packageName: string, say: (text: string) => void): Promise<string> => {
  const path = `/usr/bin/${name}`
  const find = () =>
    access(path, constants.X_OK).then(
      () => path,
      () => undefined,
    )
  return findInPackage(packageName, find, say)
}

/** Finds zbarimg and oathtool. Installs Debian's packages when they are missing and the user is root. */
export async function findAuthenticator(t: {
  readonly teardown: (work: () => unknown) => void
  readonly comment: (text: string) => void
}): Promise<Authenticator> {
  const say = (text: string) => t.comment(text)
  const oathtool = await findProgram('oathtool', 'oathtool', say)
  const zbarimg = await findProgram('zbarimg', 'zbar-tools', say)
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
