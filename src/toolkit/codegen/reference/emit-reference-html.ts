import { createHash } from 'node:crypto'
import { oneLine, withoutPrivateTerms } from '../../contract/index.js'
import type { Emitter, Source } from '../generated-file.js'
import { markdownHeader } from '../header.js'
import { escapeHtml } from './html-text.js'
import { jsonText, prose } from './markdown.js'
import { blocksHtml, inlineHtml, type Links, markdownBlocks, preHtml, withoutNames } from './markdown-html.js'
import type { ShownExample } from './reference-example.js'
import {
  pageIds,
  type ReferenceChapter,
  type ReferenceItem,
  type ReferencePart,
  referenceModel,
} from './reference-html-model.js'
import { referenceScript } from './reference-html-script.js'
import { referenceStyle } from './reference-html-style.js'

/**
 * Emits reference.html, a self-contained page of the API reference. Its Content Security Policy (level 3)
 * allows only its own style and script.
 */
export const emitReferenceHtml: Emitter = (given) => {
  const source = { ...given, contract: withoutPrivateTerms(given.contract) }
  const { contract } = source
  const { chapters, links } = referenceModel(source)
  const lead = blocksHtml(markdownBlocks(prose(contract.description ?? '').trim()), links)
  const content = `${markdownHeader(source)}<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy()}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(oneLine(contract.title))}: reference</title>
<link rel="icon" href="data:,">
<style>${referenceStyle()}</style>
</head>
<body id="${pageIds.top}">
<a class="skip" href="#${pageIds.main}">Skip to content</a>
<div class="page">
${navigation(chapters)}<div class="text">
<header>
<h1>${escapeHtml(oneLine(contract.title))} <span>${escapeHtml(oneLine(contract.version))}</span></h1>
${lead}</header>
<div class="bar" role="search" hidden>
<label for="${pageIds.search}">Search methods, objects, errors and rules</label>
<input type="search" id="${pageIds.search}" autocomplete="off" spellcheck="false">
<output id="${pageIds.found}" for="${pageIds.search}"></output>
</div>
<main id="${pageIds.main}" tabindex="-1">
${chapters.map((chapter) => chapterHtml(chapter, links)).join('')}</main>
<footer>${footer(source)}</footer>
</div>
</div>
<script>${referenceScript}</script>
</body>
</html>
`
  return { path: 'reference.html', content }
}

/** Blocks all loading. The inline style and script are allowed by their hashes. */
const policy = () =>
  [
    "default-src 'none'",
    `style-src ${hashOf(referenceStyle())}`,
    `script-src ${hashOf(referenceScript)}`,
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
  return `<nav aria-label="Contents">
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
  return `<section id="${escapeHtml(id)}">
<h2>${escapeHtml(heading)}</h2>
${blocksHtml(blocks, links)}${items.map((item) => itemHtml(item, links)).join('')}</section>
`
}

function itemHtml({ id, name, lead, parts, examples }: ReferenceItem, links: Links): string {
  const [first = '', ...others] = examples.map((example, at) => exampleHtml(example, links, at === 0))
  const headed = (heading: string, html: string) => (html === '' ? '' : `<h4>${heading}</h4>\n${html}`)
  return `<section class="item" id="${escapeHtml(id)}" data-item>
<h3>${link(id, `<code>${escapeHtml(name)}</code>`)}</h3>
${blocksHtml(lead, links)}${headed('Example', first)}${parts.map((part) => partHtml(part, links)).join('')}${headed('More examples', others.join(''))}</section>
`
}

function partHtml({ heading, blocks }: ReferencePart, links: Links): string {
  return `<h4>${escapeHtml(heading)}</h4>\n${blocksHtml(blocks, links)}`
}

function exampleHtml({ says, request, curl, answer }: ShownExample, links: Links, isOpen: boolean): string {
  const part = (title: string, text: string) => `<div><h5>${title}</h5></div>\n${preHtml(text)}`
  return `<details class="example"${isOpen ? ' open' : ''}>
<summary>${inlineHtml(says, withoutNames(links))}</summary>
${part('Request', jsonText(request))}${answer === undefined ? '' : part('Answer', jsonText(answer))}${part('With curl', curl)}</details>
`
}

function footer({ tool, contract }: Source): string {
  const made = `Generated by ${tool.name} ${tool.version} from ${oneLine(contract.title)} ${oneLine(contract.version)}.`
  return escapeHtml(made)
}
