import { mkdir, readFile, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { linkPackages, ownPackages, projectTools } from '../support/compiled-package.js'
import { temporaryFolder } from '../support/temporary-folder.js'
import { type UserShell, userShell } from '../support/user-shell.js'

/** A folder for new projects. */
export interface ProjectsHome {
  readonly folder: string
  /** A shell in one of its projects, or in the folder itself. `concordat` is the compiled command. */
  readonly shell: (project?: string) => UserShell
  /** Links the contract's package of a project into it, as `npm install` does. */
  readonly link: (project: string) => Promise<void>
}

/** A folder whose projects find the compiled packages and their dependencies. */
export async function projectsHome(t: Parameters<typeof temporaryFolder>[0]): Promise<ProjectsHome> {
  const folder = await temporaryFolder(t)
  const modules = join(folder, 'node_modules')
  await linkPackages(
    modules,
    [...ownPackages, 'yaml', ...projectTools.packages],
    ['concordat', ...projectTools.commands],
  )
  return {
    folder,
    shell: (project = '.') => userShell(join(folder, project), [join(modules, '.bin')]),
    link: (project) => linkContract(join(folder, project)),
  }
}

async function linkContract(project: string): Promise<void> {
  const contract = join(project, 'contract', 'generated')
  const { name } = JSON.parse(await readFile(join(contract, 'package.json'), 'utf8'))
  await mkdir(join(project, 'node_modules'), { recursive: true })
  await symlink(contract, join(project, 'node_modules', name))
}
