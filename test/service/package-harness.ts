import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { compileCopy, linkPackages, projectTools, readManifest } from '../support/compiled-package.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { type UserShell, userShell } from '../support/user-shell.js'

const lockFile = fileURLToPath(new URL('../../package-lock.json', import.meta.url))

/** An empty project with the packed package installed, without its optional dependencies. */
export interface InstalledPackage {
  /** The project's folder. */
  readonly app: string
  /** The package's folder in it. */
  readonly folder: string
  readonly modules: string
  readonly shell: UserShell
  /** The output of npm; undefined when npm had neither a cache nor a network, and the files were unpacked. */
  readonly installedBy: string | undefined
}

/** Packs a copy of this package and installs the archive as users do. */
export async function installPackage(t: Parameters<typeof temporaryFolder>[0]): Promise<InstalledPackage> {
  const home = await temporaryFolder(t)
  const copy = join(home, 'copy')
  const app = join(home, 'app')
  const modules = join(app, 'node_modules')
  await compileCopy(copy)
  await mkdir(app)
  const packed = await userShell(copy).run(`npm pack --silent --pack-destination ${home}`)
  if (packed.code !== 0) throw new TypeError(packed.output)
  const archive = `concordat-${(await readManifest()).version}.tgz`
  await writeFile(join(app, 'package.json'), JSON.stringify(project(archive)))
  await writeFile(join(app, 'package-lock.json'), JSON.stringify(await lockOf(archive)))
  const shell = userShell(app, [join(modules, '.bin')])
  const installed = await shell.run(
    'npm install --engine-strict --omit=optional --prefer-offline --ignore-scripts --no-audit --no-fund --fetch-retries=0',
  )
  const isInstalled = installed.code === 0
  if (!isInstalled) await unpack(installed.output, join(home, archive), modules)
  await linkPackages(modules, projectTools.packages, projectTools.commands)
  const folder = join(modules, 'concordat')
  return { app, folder, modules, shell, installedBy: isInstalled ? installed.output : undefined }
}

const project = (archive: string) => ({
  name: 'app',
  version: '1.0.0',
  private: true,
  type: 'module',
  dependencies: { concordat: `file:../${archive}` },
})

/** A lock file with the versions that are installed here, so that npm uses its cache without a registry. */
async function lockOf(archive: string): Promise<object> {
  const { packages } = JSON.parse(await readFile(lockFile, 'utf8')) as {
    readonly packages: Readonly<Record<string, object>>
  }
  const { devDependencies: _, ...own } = { devDependencies: {}, ...packages[''] }
  const others = Object.entries(packages).filter(([path]) => path !== '')
  return {
    name: 'app',
    version: '1.0.0',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': project(archive),
      'node_modules/concordat': { ...own, resolved: `file:../${archive}` },
      ...Object.fromEntries(others.map(([path, entry]) => [path, { ...entry, dev: undefined }])),
    },
  }
}

/** Replaces npm when it has neither a cache nor a network. */
async function unpack(reason: string, archive: string, modules: string): Promise<void> {
  if (!/ENOTCACHED|ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(reason)) throw new TypeError(reason)
  const folder = join(modules, 'concordat')
  await mkdir(folder, { recursive: true })
  const { code, output } = await userShell(folder).run(`tar xzf ${archive} --strip-components=1`)
  if (code !== 0) throw new TypeError(output)
  await linkPackages(modules, Object.keys((await readManifest()).dependencies))
  await mkdir(dirname(join(modules, '.bin', 'concordat')), { recursive: true })
  await symlink(join('..', 'concordat', 'bin', 'concordat.js'), join(modules, '.bin', 'concordat'))
}
