import { createHash } from 'node:crypto'
import { productTokens } from '../../report-formats/index.js'
import { escapeHtml } from './html-text.js'
import { type Block, blocksHtml, inlineHtml, type Links, preHtml, withoutNames } from './markdown-html.js'
import {
  pageIds,
  type ReferenceChapter,
  type ReferenceItem,
  type ReferencePart,
  readReference,
} from './read-reference.js'
import { referenceScript } from './reference-html-script.js'
import { offlineStyle, referenceStyle } from './reference-html-style.js'

/**
 * Renders REFERENCE.md as reference.html: one page that needs nothing else, whose Content Security Policy (level 3) allows
 * only its own style and script. The service shows the content of `main` within its own pages, with the second style sheet
 * and the script.
 * @param markdown what `emitReference` makes
 */
export function renderReference(markdown: string): string {
  const { title, lead, chapters, links } = readReference(markdown)
  const [, header = ''] = /^(<!--[\s\S]*?-->\n)/.exec(markdown) ?? []
  const [, name = title, version = ''] = /^(.*) (\S+)$/.exec(title) ?? []
  const ownStyle = `${productTokens}${offlineStyle}`
  const style = referenceStyle()
  return `${header}<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy([ownStyle, style], referenceScript)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(name)}: reference</title>
<link rel="icon" href="data:,">
<style>${ownStyle}</style>
<style>${style}</style>
</head>
<body>
<a class="skip" href="#${pageIds.main}">Skip to content</a>
<main id="${pageIds.main}" tabindex="-1">
<div class="reference">
${navigation(chapters)}<div class="text">
<h1>${escapeHtml(name)} <span>${escapeHtml(version)}</span></h1>
${blocksHtml(lead, links)}<div class="bar" role="search" hidden>
<label for="${pageIds.search}">Search methods, objects, errors and rules</label>
<input type="search" id="${pageIds.search}" autocomplete="off" spellcheck="false">
<output id="${pageIds.found}" for="${pageIds.search}"></output>
</div>
${chapters.map((chapter) => chapterHtml(chapter, links)).join('')}</div>
</div>
</main>
<script>${referenceScript}</script>
</body>
</html>
`
}

/** Blocks all loading. The inline styles and the script are allowed by their hashes. */
const policy = (styles: readonly string[], script: string) =>
  [
    "default-src 'none'",
    `style-src ${styles.map(hashOf).join(' ')}`,
    `script-src ${hashOf(script)}`,
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ')

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`
}

function navigation(chapters: readonly ReferenceChapter[]): string {
  const entries = chapters.map(
    ({ id, heading, items }) => `<li>${link(id, escapeHtml(heading))}${itemsNavigation(items)}</li>\n`,
  )
  return `<nav class="contents" aria-label="Contents">
<details id="${pageIds.contents}" open>
<summary>Contents</summary>
<ul>
${entries.join('')}</ul>
</details>
</nav>
`
}

function itemsNavigation(items: readonly ReferenceItem[]): string {
  const groups = [...new Set(items.map(({ group }) => group))]
  return groups
    .map((group) => {
      const entries = items
        .filter((item) => item.group === group)
        .map(({ id, name, deprecated }) => {
          const html = escapeHtml(name)
          return `<li>${link(id, deprecated ? `<span class="old">${html}</span>` : html)}</li>\n`
        })
      const list = `\n<ul>\n${entries.join('')}</ul>\n`
      return group === '' ? list : `<div><span class="group">${escapeHtml(group)}</span>${list}</div>`
    })
    .join('')
}

function link(id: string, html: string): string {
  return `<a href="#${escapeHtml(id)}">${html}</a>`
}

function chapterHtml({ id, heading, blocks, items }: ReferenceChapter, links: Links): string {
  return `<section class="chapter" id="${escapeHtml(id)}">
<h2>${escapeHtml(heading)}</h2>
${blocksHtml(blocks, links)}${items.map((item) => itemHtml(item, links)).join('')}</section>
`
}

function itemHtml({ id, name, lead, parts }: ReferenceItem, links: Links): string {
  return `<section class="item" id="${escapeHtml(id)}" data-item>
<h3>${link(id, `<code>${escapeHtml(name)}</code>`)}</h3>
${blocksHtml(lead, links)}${parts.map((part) => partHtml(part, links)).join('')}</section>
`
}

function partHtml({ heading, blocks }: ReferencePart, links: Links): string {
  const isExample = /^(?:Example|More examples)$/.test(heading)
  const html = isExample ? examplesHtml(blocks, links, heading === 'Example') : blocksHtml(blocks, links)
  return `<h4>${escapeHtml(heading)}</h4>\n${html}`
}

/** Examples: a sentence, a request with curl, and an answer unless it is a notification. */
function examplesHtml(blocks: readonly Block[], links: Links, isOpen: boolean): string {
  // A description may have an example of its own, in any form.
  if (!/^(?:sentence( code){1,2} ?)+$/.test(blocks.flatMap(exampleWord).join(' ')))
    return blocksHtml(blocks, links)
  const examples: { says: string; codes: string[] }[] = []
  for (const block of blocks) {
    if ('rows' in block) continue
    if (block.type === 'inline') examples.push({ says: block.content, codes: [] })
    else if (block.type === 'fence') examples.at(-1)?.codes.push(block.content.replace(/\n$/, ''))
  }
  return examples
    .map(({ says, codes: [curl = '', answer] }) => {
      const part = (title: string, text: string) => `<div><h5>${title}</h5></div>\n${preHtml(text)}`
      return `<details class="example"${isOpen ? ' open' : ''}>
<summary>${inlineHtml(says, withoutNames(links))}</summary>
${part('Request', curl)}${answer === undefined ? '' : part('Answer', answer)}</details>
`
    })
    .join('')
}

/** Names a block of an example. */
function exampleWord(block: Block): readonly string[] {
  if ('rows' in block) return ['table']
  const { type, level } = block
  if (level === 0 && /^paragraph_(?:open|close)$/.test(type)) return []
  return [type === 'fence' ? 'code' : type === 'inline' ? 'sentence' : type]
}
