import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import './plain-children.js'
import { compilerEnvironment } from './tsc.js'

const run = promisify(execFile)
const root = fileURLToPath(new URL('../../', import.meta.url))
const cache = join(root, 'node_modules', '.cache', 'commits')

/**
 * Extracts and compiles another commit of this repository, with the installed packages of this checkout. Nothing is
 * installed, and the repository does not change. Later calls return the same files.
 * @returns path of its command `concordat`
 * @throws Error if the clone lacks the commit, or if the commit does not compile
 */
export async function buildCommit(revision: string): Promise<string> {
  const commit = await findCommit(revision)
  const folder = join(cache, commit)
  if (!existsSync(folder)) {
    await mkdir(cache, { recursive: true })
    const unfinished = await mkdtemp(`${folder}-`)
    try {
      await extract(commit, unfinished)
      await linkPackages(unfinished)
      const env = { ...process.env, ...compilerEnvironment }
      await run('npm', ['run', '--silent', 'build'], { cwd: unfinished, env }).catch((cause: unknown) => {
        throw new Error(`commit ${revision} does not compile with the installed packages`, { cause })
      })
      // Another process may have built it meanwhile.
      await rename(unfinished, folder).catch((error: unknown) => {
        if (!existsSync(folder)) throw error
      })
    } finally {
      await rm(unfinished, { recursive: true, force: true })
    }
  }
  return join(folder, 'bin/concordat.js')
}

/**
 * Returns the whole hash of a commit.
 * @param repository this checkout by default
 * @throws Error if the clone lacks the commit
 */
export async function findCommit(revision: string, repository = root): Promise<string> {
  const asked = ['rev-parse', '--verify', '--quiet', `${revision}^{commit}`]
  return run('git', asked, { cwd: repository })
    .then(({ stdout }) => stdout.trim())
    .catch((cause: unknown) => {
      throw new Error(
        `This clone has no commit ${revision}, which is compared with the present version. Fetch the whole history: ` +
          'git fetch --unshallow',
        { cause },
      )
    })
}

async function extract(commit: string, folder: string): Promise<void> {
  const archive = join(folder, 'commit.tar')
  await run('git', ['archive', '--output', archive, commit], { cwd: root })
  await run('tar', ['--extract', '--file', archive, '--directory', folder])
  await rm(archive)
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
    await symlink(relative(dirname(link), path) || '.', link)
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
