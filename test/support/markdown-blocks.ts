/** Shell blocks that no test runs, as `GUIDE: COMMANDS`, with the reason. */
export const notRun: Readonly<Record<string, string>> = {
  'docs/index.md: npm ci\nnpm start': 'A test of README.md runs the commands in one line.',
  'README.md: npm ci && npm test': 'It is the run that would contain it.',
}

/** A fenced block of a Markdown file. */
export interface CodeBlock {
  /** The heading of the second level above it; empty before the first one. */
  readonly section: string
  /** Line of the opening fence, from 1. */
  readonly line: number
  /** Empty without a language. */
  readonly language: string
  /** Without the indentation of a list. */
  readonly text: string
  /** The block of the language `text` that follows directly, such as the output of commands; empty without one. */
  readonly shown: string
}

/** Returns all fenced blocks, in order. */
export function codeBlocks(markdown: string): readonly CodeBlock[] {
  const lines = markdown.split('\n')
  const blocks: CodeBlock[] = []
  let section = ''
  for (let at = 0; at < lines.length; at++) {
    section = /^## (.*)$/.exec(lines[at] ?? '')?.[1] ?? section
    const [, indent = '', fence = '', language = ''] = /^( *)(```+)(\w*)/.exec(lines[at] ?? '') ?? []
    if (fence === '') continue
    const end = lines.indexOf(indent + fence, at + 1)
    if (end < 0) throw new TypeError(`line ${at + 1}: the block has no end`)
    const own = lines
      .slice(at + 1, end)
      .map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line))
    blocks.push({ section, line: at + 1, language, text: own.map((line) => `${line}\n`).join(''), shown: '' })
    at = end
  }
  return blocks.map((block, at) => {
    const next = blocks[at + 1]
    const after = block.line + block.text.split('\n').length
    return next?.language === 'text' && next.line === after + 1 ? { ...block, shown: next.text } : block
  })
}

/**
 * Returns the code blocks of a language in one section of a Markdown text, in order.
 * @param section the heading, of the second level
 */
export function markdownBlocks(markdown: string, section: string, language: string): readonly string[] {
  return codeBlocks(markdown)
    .filter((block) => block.section === section && block.language === language)
    .map(({ text }) => text)
}
