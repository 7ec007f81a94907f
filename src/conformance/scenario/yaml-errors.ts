import type { Document, YAMLError } from 'yaml'

/** What is wrong at an offset of a text. */
export interface YamlProblem {
  readonly offset: number
  readonly message: string
}

/**
 * What keeps a text from being one YAML document: the first error of syntax, because one mistake is reported as many,
 * and every member that stands twice.
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
  // Where a plain text with a variable breaks off, the parser stands before or after its brace.
  if (/\$\{/.test(source.slice(Math.max(offset - 1, 0), offset + 2))) {
    return `a variable within { } or [ ] is written in quotes: '\${name}'`
  }
  switch (code) {
    case 'DUPLICATE_KEY': {
      const name = /^["']?([^"':\n]+)/.exec(source.slice(offset))?.[1]?.trim() ?? ''
      return `"${name}" stands here for the second time; keep one of them`
    }
    case 'MULTIPLE_DOCS':
      return 'a second document begins here; one file holds one scenario, so move it to a file of its own'
    case 'TAB_AS_INDENT':
      return 'a tab indents this line; YAML indents with spaces'
    case 'NON_STRING_KEY':
      return 'the name of a member is a text'
    case 'RESOURCE_EXHAUSTION':
      return 'nested too deeply to be read'
    case 'TAG_RESOLVE_FAILED':
      return `${message}; tags are not used in scenarios, so leave it out`
    default:
      return `no YAML: ${message.charAt(0).toLowerCase()}${message.slice(1)}`
  }
}
