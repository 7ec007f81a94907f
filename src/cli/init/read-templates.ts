import { readdir, readFile } from 'node:fs/promises'
import { sep } from 'node:path'
import type { GeneratedFile } from '../../toolkit/codegen/index.js'

const ending = '.template'

/**
 * Reads the templates of a folder in `templates/`. Their paths are those of the files in the new project, with the ending
 * `.template`, so that compilers, linters and npm do not treat them as files of this package.
 */
export async function readTemplates(folder: 'project' | 'sample'): Promise<readonly GeneratedFile[]> {
  const home = new URL(`templates/${folder}/`, import.meta.url)
  const names = await readdir(home, { recursive: true })
  const paths = names.map((name) => name.replaceAll(sep, '/')).filter((name) => name.endsWith(ending))
  return Promise.all(
    paths.sort().map(async (path) => ({
      path: path.slice(0, -ending.length),
      content: await readFile(new URL(path, home), 'utf8'),
    })),
  )
}
