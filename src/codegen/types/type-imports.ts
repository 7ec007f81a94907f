import type { Source } from '../generated-file.js'
import { group } from '../text.js'
import type { TypeWriter } from './type-writer.js'

/**
 * Returns the imports of the types that a file uses, followed by an empty line.
 * @param values names to import from the runtime as values
 */
export function typeImports({ names }: Source, { used }: TypeWriter, values: readonly string[] = []): string {
  const json = ['JsonObject', 'JsonValue'].filter((name) => used.has(name))
  const own = [...new Set([...names.values(), 'Results'])].filter((name) => used.has(name)).sort()
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
