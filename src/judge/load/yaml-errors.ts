import type { Document, YAMLError } from 'yaml'

/** A problem at an offset in a text. */
export interface YamlProblem {
  readonly offset: number
  readonly message: string
}

/**
 * Returns the first syntax error and all duplicate members. Later syntax errors are usually consequences of
 * the first.
 */
export function yamlErrors(document: Document.Parsed | Document, source: string): readonly YamlProblem[] {
  const all: readonly YAMLError[] = [...document.errors, ...document.warnings]
  const duplicates = all.filter(({ code }) => code === 'DUPLICATE_KEY')
  const syntax = all.filter(({ code }) => code !== 'DUPLICATE_KEY').slice(0, 1)
  return [...duplicates, ...syntax]
    .map((error) => ({ offset: error.pos[0], message: messageOf(error, source) }))
    .sort((a, b) => a.offset - b.offset)
}

function messageOf({ code, message, pos }: YAMLError, source: string): string {
  const [offset] = pos
  // The parser stops before or after the brace of a variable in an unquoted string.
  if (/\$\{/.test(source.slice(Math.max(offset - 1, 0), offset + 2))) {
    return `a variable inside { } or [ ] needs quotes: '\${name}'`
  }
  switch (code) {
    case 'DUPLICATE_KEY': {
      const name = /^["']?([^"':\n]+)/.exec(source.slice(offset))?.[1]?.trim() ?? ''
      return `"${name}" is a duplicate; keep one of them`
    }
    case 'MULTIPLE_DOCS':
      return 'a second document begins here; each file contains one scenario, so move it to a separate file'
    case 'TAB_AS_INDENT':
      return 'this line is indented with a tab; use spaces'
    case 'NON_STRING_KEY':
      return 'the name of a member must be a string'
    case 'RESOURCE_EXHAUSTION':
      return 'nested too deeply'
    case 'TAG_RESOLVE_FAILED':
      return `${message}; tags are not supported in scenarios; remove it`
    default:
      return `not YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
  }
}
