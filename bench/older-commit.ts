import { execFile } from 'node:child_process'
import { mkdir, readdir, readFile, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../', import.meta.url))

/**
 * Extracts and compiles another commit of this repository, with the installed packages of this checkout. Nothing is
 * installed, and the repository does not change.
 * @param folder a new folder for the files
 * @returns path of its command `concordat`
 * @throws Error if the clone lacks the commit, or if the commit does not compile
 */
export async function buildCommit(revision: string, folder: string): Promise<string> {
  const commit = await run('git', ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`], { cwd: root })
    .then(({ stdout }) => stdout.trim())
    .catch((cause: unknown) => {
      throw new Error(
        `This clone has no commit ${revision}. Fetch it (git fetch --unshallow), or choose another: --against REV`,
        { cause },
      )
    })
  await mkdir(folder, { recursive: true })
  const archive = join(folder, 'commit.tar')
  await run('git', ['archive', '--output', archive, commit], { cwd: root })
  await run('tar', ['--extract', '--file', archive, '--directory', folder])
  await linkPackages(folder)
  await run('npm', ['run', '--silent', 'build'], { cwd: folder }).catch((cause: unknown) => {
    throw new Error(`commit ${revision} does not compile with the installed packages`, { cause })
  })
  return join(folder, 'bin/concordat.js')
}

/** Links the installed packages, and the packages of the commit itself in place of ours. */
async function linkPackages(folder: string): Promise<void> {
  const installed = join(root, 'node_modules')
  const modules = join(folder, 'node_modules')
  await mkdir(modules)
  const ours = new Set((await packagesIn(root)).map(({ name }) => name.split('/')[0]))
  for (const entry of await readdir(installed)) {
    const isPackage = entry === '.bin' || !entry.startsWith('.')
    if (isPackage && !ours.has(entry)) await symlink(join(installed, entry), join(modules, entry))
  }
  for (const { name, path } of await packagesIn(folder)) {
    const link = join(modules, name)
    await mkdir(dirname(link), { recursive: true })
    await symlink(path, link)
  }
}

/** The packages of a checkout: its root and its workspaces. */
async function packagesIn(
  folder: string,
): Promise<readonly { readonly name: string; readonly path: string }[]> {
  const read = async (path: string) => JSON.parse(await readFile(join(path, 'package.json'), 'utf8'))
  const { name, workspaces = [] } = await read(folder)
  const paths: readonly string[] = workspaces.map((workspace: string) => join(folder, workspace))
  const inner = paths.map(async (path) => ({ name: (await read(path)).name as string, path }))
  return [{ name, path: folder }, ...(await Promise.all(inner))]
}
