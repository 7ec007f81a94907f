import { createHash } from 'node:crypto'
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Bill } from './installations.js'
import type { PackedPackage } from './pack-packages.js'
import { withPackedTargets } from './packed-links.js'

const policy = fileURLToPath(new URL('../SUPPORT.md', import.meta.url))

/** The file of checksums, as `sha256sum --check` reads it. */
const CHECKSUMS = 'SHA256SUMS'

/**
 * Writes a release: the archive of each package, the bill of materials of each installation, the support policy, and the
 * checksums of all of them.
 * @param folder created where it is missing
 * @param bills by the users of the installation
 */
export async function writeRelease(
  folder: string,
  packed: readonly PackedPackage[],
  bills: ReadonlyMap<string, Bill>,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const policyName = basename(policy)
  const names = [policyName]
  // The documents that it links to are in the archives.
  const policyText = withPackedTargets(policyName, await readFile(policy, 'utf8'), [policyName])
  await writeFile(join(folder, policyName), policyText)
  for (const { archive } of packed) {
    const name = basename(archive)
    await copyFile(archive, join(folder, name))
    names.push(name)
  }
  for (const [users, bill] of bills) {
    const name = `sbom-${users.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')}.json`
    await writeFile(join(folder, name), `${JSON.stringify(bill, null, 2)}\n`)
    names.push(name)
  }
  const lines = names.sort().map(async (name) => {
    const digest = createHash('sha256').update(await readFile(join(folder, name)))
    return `${digest.digest('hex')}  ${name}\n`
  })
  await writeFile(join(folder, CHECKSUMS), (await Promise.all(lines)).join(''))
}
