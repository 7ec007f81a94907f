import type { Source } from '../generated-file.js'
import { group } from '../text.js'
import type { TypeNames, TypeWriter } from './type-writer.js'

/**
 * Returns the imports of the types that a file uses, followed by an empty line.
 * @param values names to import from the runtime as values
 */
export function typeImports({ names }: Source, { used }: TypeWriter, values: readonly string[] = []): string {
  const json = ['JsonObject', 'JsonValue'].filter((name) => used.has(name))
  const own = importedTypes(
    names,
    used,
    ['Results'].filter((name) => used.has(name)),
  )
  const mixed = [...json.map((name) => `type ${name}`), ...values].join(', ')
  const lines = [
    values.length > 0 ? `import { ${mixed} } from '@concordat/rpc'\n` : '',
    values.length === 0 && json.length > 0
      ? `import type { ${json.join(', ')} } from '@concordat/rpc'\n`
      : '',
    own.length > 0 ? `import type ${group('{', own, '}')} from './types.js'\n` : '',
  ].join('')
  return lines === '' ? '' : `${lines}\n`
}

/**
 * Returns what a file imports from types.ts: the types of the contract that it uses, and tables of methods.
 * @param used the names that the file uses
 */
export function importedTypes(
  names: TypeNames,
  used: ReadonlySet<string>,
  tables: readonly string[],
): readonly string[] {
  const types = [...names.values()].filter((name) => used.has(name)).map((name) => names.imported(name))
  return [...new Set([...types, ...tables])].sort()
}
