import { cp, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { compileCopy, linkPackages, projectTools, readManifest } from '../support/compiled-package.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { type UserShell, userShell } from '../support/user-shell.js'

/** A folder for new projects. */
export interface ProjectsHome {
  readonly folder: string
  /** A shell in one of its projects, or in the folder itself. `concordat` is the compiled command. */
  readonly shell: (project?: string) => UserShell
}

/** A folder whose projects find the compiled package and its dependencies. */
export async function projectsHome(t: Parameters<typeof temporaryFolder>[0]): Promise<ProjectsHome> {
  const folder = await temporaryFolder(t)
  const copy = join(await temporaryFolder(t), 'copy')
  await compileCopy(copy)
  const { files, dependencies } = await readManifest()
  const modules = join(folder, 'node_modules')
  await linkPackages(modules, [...Object.keys(dependencies), ...projectTools.packages], projectTools.commands)
  await mkdir(join(modules, 'concordat'))
  // npm's syntax: a path after "!" is not published.
  const unpublished = files.filter((path) => path.startsWith('!')).map((path) => join(copy, path.slice(1)))
  for (const path of [...files.filter((path) => !path.startsWith('!')), 'package.json']) {
    const filter = (source: string) => !unpublished.includes(source)
    await cp(join(copy, path), join(modules, 'concordat', path), { recursive: true, filter })
  }
  await symlink(join('..', 'concordat', 'bin', 'concordat.js'), join(modules, '.bin', 'concordat'))
  return {
    folder,
    shell: (project = '.') => userShell(join(folder, project), [join(modules, '.bin')]),
  }
}
