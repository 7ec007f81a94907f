import { markdownLines } from './markdown-text.js'
import type { SiteGroup } from './site-pages.js'

/** Characters of the sentence that describes a page. */
const mostCharacters = 200

/** Returns llms.txt (llmstxt.org): the pages of the site as Markdown, by group, with the first sentence of each. */
export function llmsText(title: string, description: string, groups: readonly SiteGroup[]): string {
  const sections = groups.map(({ title: name, pages }) => {
    const lines = pages.map((page) => {
      const says = firstSentence(page.markdown)
      return `- [${page.title}](${page.route}.md)${says === '' ? '' : `: ${says}`}\n`
    })
    return `\n## ${name}\n\n${lines.join('')}`
  })
  return `# ${title}\n\n> ${description}\n${sections.join('')}`
}

/** The first sentence of the first paragraph, without links. */
function firstSentence(markdown: string): string {
  const lines = markdownLines(markdown)
  const first = lines.find(({ text, isCode }) => !isCode && /^[A-Z`]/.test(text))
  const plain = first?.text.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1') ?? ''
  const [sentence = ''] = /^.*?[.:](?=\s|$)/.exec(plain) ?? [plain]
  return sentence.length > mostCharacters ? '' : sentence
}
