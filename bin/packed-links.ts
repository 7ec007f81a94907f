import { posix } from 'node:path'
import { mapLinks } from './docs/markdown-text.js'

/** The schema that a YAML file names for editors, and the targets in HTML. */
const schemaTarget = /(?<=^# yaml-language-server: \$schema=)\S+/m
const htmlTarget = /(?<=\s(?:href|src)=")[^"]*/g

/**
 * Replaces the relative targets in a file: links and images of Markdown and HTML, and the schema of YAML.
 * @param replace undefined leaves only the text of a link in Markdown, and other targets as they are
 */
function mapTargets(path: string, content: string, replace: (target: string) => string | undefined): string {
  const relative = (target: string) => (/^(?:[a-z][a-z\d+.-]*:|#|$)/i.test(target) ? target : replace(target))
  if (path.endsWith('.md')) return mapLinks(content, relative)
  const others = /\.ya?ml$/.test(path) ? schemaTarget : path.endsWith('.html') ? htmlTarget : undefined
  return others === undefined ? content : content.replace(others, (target) => relative(target) ?? target)
}

/** True for a file and for a folder with files. */
const isIn = (files: readonly string[], path: string) =>
  files.some((file) => file === path || file.startsWith(`${path}/`))

/** Returns the file or folder of a package that a relative target names. */
function fileOf(path: string, target: string): string {
  const [name = ''] = target.split('#')
  return posix.join(posix.dirname(path), decodeURIComponent(name)).replace(/\/$/, '')
}

/**
 * Returns the relative targets in a file of a package that the package does not contain.
 * @param path of the file in the package
 * @param files all files of the package
 */
export function deadTargets(path: string, content: string, files: readonly string[]): readonly string[] {
  const dead: string[] = []
  mapTargets(path, content, (target) => {
    if (!isIn(files, fileOf(path, target))) dead.push(target)
    return target
  })
  return dead
}

/**
 * Changes the relative targets in a file to those of its package, where compiled files are in `dist/`. A Markdown link
 * to a file that the package lacks becomes plain text.
 * @param path of the file in the package
 * @param files all files of the package
 */
export function withPackedTargets(path: string, content: string, files: readonly string[]): string {
  return mapTargets(path, content, (target) => {
    const file = fileOf(path, target)
    if (isIn(files, file)) return target
    const compiled = posix.join('dist', file)
    const [, fragment = ''] = /(#.*)$/.exec(target) ?? []
    return isIn(files, compiled) ? posix.relative(posix.dirname(path), compiled) + fragment : undefined
  })
}
